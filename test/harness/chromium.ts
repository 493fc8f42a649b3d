import { type Browser, chromium, type Page } from 'playwright-core'
import { CHROMIUM } from './chromium-path.ts'
import { atEndOf, type Lifetime } from './program.ts'

/**
 * Each window of Chromium has pages of its own for what its address bar proposes: 1.3 s of CPU, more than our pages take. The last
 * list of features wins, so Playwright's is repeated, as far as it says something here.
 */
const FEATURES_OFF = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup', 'PreloadTopChromeWebUI'],
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'PaintHolding', 'AimEnabled'],
  ...['HttpsUpgrades', 'HttpsFirstBalancedModeAutoEnable', 'ThirdPartyStoragePartitioning', 'LensOverlay'],
  ...['AvoidCorsURLLoaderRestartOnRedirect', 'MediaRouter', 'OptimizationHints', 'NetworkTimeServiceQuerying'],
  'PreconnectToSearch',
]

/** As root there is no sandbox of Chromium's; and it is to talk to nobody but the service. */
export const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
  `--disable-features=${FEATURES_OFF.join()}`,
]

export interface BrowserOptions {
  readonly lifetime?: Lifetime
  readonly colorScheme?: 'light' | 'dark'
  readonly viewport?: { width: number; height: number }
  readonly deviceScaleFactor?: number
}

let running: Promise<Browser> | null = null

/** One Chromium for all files of a worker: starting it costs more than most tests. It ends with the process. */
function launch(): Promise<Browser> {
  running ??= chromium.launch({ executablePath: CHROMIUM!, args: FLAGS })
  return running
}

/**
 * A browser that knows nothing of any other: with cookies and storage of its own. What its pages complain about is collected, and
 * everything that they get an answer to.
 */
export async function openBrowser(options: BrowserOptions = {}) {
  const browser = await launch()
  const context = await browser.newContext({
    viewport: options.viewport ?? { width: 1280, height: 860 },
    colorScheme: options.colorScheme ?? 'light',
    reducedMotion: 'reduce',
    deviceScaleFactor: options.deviceScaleFactor ?? 1,
  })
  context.setDefaultTimeout(20_000)
  atEndOf(options.lifetime ?? 'test', () => context.close())
  const errors: string[] = []
  const answers: string[] = []
  context.on('weberror', (error) => errors.push(error.error().message))
  context.on('response', (answer) => answers.push(answer.url()))
  const page: Page = await context.newPage()
  await showPageAlone(browser, page)
  return { context, page, errors, answers }
}

/** Without tabs and bars around it, which Chromium lays out and paints also when nobody sees them: a tenth of its CPU time. */
async function showPageAlone(browser: Browser, page: Page) {
  const ofPage = await page.context().newCDPSession(page)
  const { targetInfo } = await ofPage.send('Target.getTargetInfo')
  await ofPage.detach()
  const ofBrowser = await browser.newBrowserCDPSession()
  const { windowId } = await ofBrowser.send('Browser.getWindowForTarget', { targetId: targetInfo.targetId })
  await ofBrowser.send('Browser.setWindowBounds', { windowId, bounds: { windowState: 'fullscreen' } })
  await ofBrowser.detach()
}
