import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, onTestFailed } from 'vitest'
import { openBrowser } from './chromium.ts'
import { dataFolder, Service } from './service.ts'

type Within = Pick<Page, 'getByRole'>

export interface Dashboard {
  readonly service: Service
  readonly page: Page
  /** What was thrown in the page. */
  readonly errors: readonly string[]
  /** The addresses of everything that the page has got an answer from. */
  readonly answers: readonly string[]
  /** The address with the code that the start has printed. */
  readonly link: string
  /** As who types the address: everything is loaded, and asked for, anew. For what depends on that: it costs three times as much. */
  open(path: string): Promise<unknown>
  /** As who follows a link, where there are links: what was read a moment ago is shown until there is news of it. */
  follow(path: string): Promise<unknown>
  button(name: string | RegExp, within?: Within): ReturnType<Page['getByRole']>
  dialog(): ReturnType<Page['getByRole']>
  /** One call of the API, as a program makes it. */
  post(path: string, body?: object): Promise<{ id: string }>
}

/** A PNG of one pixel. */
export const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Nobody is asked who mail is from: the name servers of the machine that runs the tests are its own. */
const OFFLINE = { POSTWREN_DNS_SERVERS: '127.0.0.1:1', POSTWREN_RATE_LIMIT: '0' }

interface DashboardOptions {
  readonly isSignedIn?: boolean
  /** Made when the tests begin: what they name is gone when these end. */
  readonly settings?: () => Readonly<Record<string, string>>
}

/** A service and a browser in front of it, for all tests of the file. Who opens the link is signed in. */
export function startDashboard({ isSignedIn = true, settings = () => ({}) }: DashboardOptions = {}): Dashboard {
  const dashboard = {} as { -readonly [Part in keyof Dashboard]: Dashboard[Part] }
  beforeAll(async () => {
    const [service, { page, errors, answers }] = await Promise.all([
      Service.start({
        dataDir: dataFolder({ lifetime: 'file' }),
        lifetime: 'file',
        settings: { ...OFFLINE, ...settings() },
      }),
      openBrowser({ lifetime: 'file' }),
    ])
    Object.assign(dashboard, {
      ...{ service, page, errors, answers },
      link: /^ {2}Dashboard +(\S+)$/m.exec(service.stdout)![1]!,
      open: (path: string) => page.goto(`${service.url}/dashboard${path}`),
      follow: async (path: string) => (await follow(page, path)) || dashboard.open(path),
      button: (name: string | RegExp, within: Within = page) => within.getByRole('button', { name }),
      dialog: () => page.getByRole('dialog'),
      post: async (path: string, body?: object) => (await service.call('POST', path, body)).body,
    })
    if (!isSignedIn) return
    await page.goto(dashboard.link)
    await page.locator('main').waitFor()
  })
  beforeEach(() => onTestFailed(({ task }) => describePage(dashboard.page, task.result?.errors ?? [])))
  return dashboard
}

/** Says in the failure what was on the page: most failures are of a wait for something that is not there. */
async function describePage(page: Page, errors: readonly { message: string }[]) {
  const main = await page
    .locator('main')
    // biome-ignore lint/performance/useDomNodeTextContent: as somebody reads it, line by line
    .innerText({ timeout: 1_000 })
    .catch((reason: Error) => `could not be read: ${reason.message}`)
  for (const error of errors) error.message += `\n\nPage: ${page.url()}\n${main}`
}

/**
 * Where there is a menu the program runs and need not be loaded again: 0.15 s of CPU instead of 0.5. Asked of the router, which also
 * knows when the page is there; until then the page before it is. The browser's own history hears of it a moment later, and is of the
 * page before it until then.
 */
const follow = (page: Page, path: string) =>
  page.evaluate(
    `(async () => {
      if (!document.querySelector('.side nav')) return false
      const router = __TSR_ROUTER__
      router.history.push(${JSON.stringify(`/dashboard${path}`)}, undefined, { ignoreBlocker: true })
      const keyOf = (location) => location?.state.__TSR_key
      const isShown = () => keyOf(router.state.resolvedLocation) === keyOf(router.history.location)
      while (!isShown()) await new Promise((next) => setTimeout(next, 10))
      return true
    })()`,
  )
