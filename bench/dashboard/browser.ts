import type { BrowserContext, Page } from 'playwright-core'
import { atEnd } from '../cleanup.ts'
import { API_KEY } from '../service.ts'

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const FLAGS = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']

/** Of a machine that does other things as well. */
const TIMEOUT_MS = 60_000

/** What a browser tells about paints and inputs, kept in the page from its first moment on. */
const OBSERVERS = `
  globalThis.paint = 0
  globalThis.inputs = []
  new PerformanceObserver((list) => { for (const { startTime } of list.getEntries()) globalThis.paint = startTime })
    .observe({ type: 'largest-contentful-paint', buffered: true })
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries()) if (interactionId) globalThis.inputs.push(duration)
  }).observe({ type: 'event', durationThreshold: 16, buffered: true })`

export interface BenchBrowser {
  readonly url: string
  /** A page of a browser with an empty cache, signed in. */
  newPage(): Promise<Page>
  close(): Promise<void>
}

export async function launchBrowser(url: string): Promise<BenchBrowser> {
  const { chromium } = await import('playwright-core')
  const { existsSync } = await import('node:fs')
  const executablePath = PATHS.find((path) => existsSync(path))
  if (!executablePath) throw new Error(`This benchmark needs Chromium: ${PATHS.join(', ')}.`)
  const browser = await chromium.launch({ executablePath, args: FLAGS })
  const close = atEnd(() => browser.close())
  const first = await newContext()
  await signIn(await first.newPage(), url)
  const cookies = await first.cookies()
  await first.close()

  async function newContext(): Promise<BrowserContext> {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
    context.setDefaultTimeout(TIMEOUT_MS)
    await context.addInitScript(OBSERVERS)
    return context
  }
  return {
    url,
    close,
    async newPage() {
      const context = await newContext()
      await context.addCookies(cookies)
      const page = await context.newPage()
      page.on('close', () => void context.close())
      return page
    },
  }
}

async function signIn(page: Page, url: string) {
  await page.goto(`${url}/dashboard`)
  await page.getByRole('button', { name: 'Use an API key instead' }).click()
  await page.getByLabel('API key').fill(API_KEY)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor({ state: 'detached' })
  await page.locator('nav').first().waitFor()
}

/** When the largest thing on the page was painted, in milliseconds after the request for it. */
export const paintOf = (page: Page) => page.evaluate('globalThis.paint') as Promise<number>

/** Browsers do not tell of what is faster. */
const FASTEST_MS = 16

/** The slowest input while something is done, from the event to the next paint. */
export async function delayOf(page: Page, act: () => Promise<unknown>): Promise<number> {
  await page.evaluate('globalThis.inputs.length = 0')
  await act()
  // Entries come after the paint that they end with.
  await page.evaluate('new Promise((next) => requestAnimationFrame(() => setTimeout(next, 100)))')
  return Math.max(FASTEST_MS, ...((await page.evaluate('globalThis.inputs')) as number[]))
}
