import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { CHROMIUM } from './chromium-path.ts'
import { atEndOf, type Lifetime } from './program.ts'

/** As root there is no sandbox of Chromium's; and it is to talk to nobody but the service. */
const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
]

export interface BrowserOptions {
  readonly lifetime?: Lifetime
  readonly colorScheme?: 'light' | 'dark'
  readonly viewport?: { width: number; height: number }
}

/** A browser with an empty profile. What its pages complain about is collected, and everything that they get an answer to. */
export async function openBrowser(options: BrowserOptions = {}) {
  const profile = mkdtempSync(join(tmpdir(), 'postwren-browser-'))
  const context: BrowserContext = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM!,
    args: FLAGS,
    viewport: options.viewport ?? { width: 1280, height: 860 },
    colorScheme: options.colorScheme ?? 'light',
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(20_000)
  atEndOf(options.lifetime ?? 'test', async () => {
    await context.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  })
  const errors: string[] = []
  const answers: string[] = []
  context.on('weberror', (error) => errors.push(error.error().message))
  context.on('response', (answer) => answers.push(answer.url()))
  const page: Page = context.pages()[0] ?? (await context.newPage())
  return { context, page, errors, answers }
}
