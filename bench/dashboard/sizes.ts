import type { BenchBrowser } from './browser.ts'

export interface Weight {
  readonly path: string
  /** As they travel: the page, scripts, styles, fonts and pictures of the program; not what the API answers. */
  readonly bytes: number
}

const PATHS = [
  ...['/emails', '/emails/$id', '/messages', '/received', '/inboxes', '/broadcasts', '/automations', '/templates'],
  ...['/contacts', '/metrics', '/domains', '/webhooks', '/logs', '/sandboxes', '/people', '/settings'],
]

/** Each page opened by itself in an empty browser. The first is what somebody sees first. */
export async function pageSizes(browser: BenchBrowser, id: string): Promise<Weight[]> {
  const weights: Weight[] = []
  for (const path of PATHS) {
    const page = await browser.newPage()
    await page.goto(`${browser.url}/dashboard${path.replace('$id', id)}`, { waitUntil: 'load' })
    await page.locator('nav').first().waitFor()
    await page.locator('main h1').first().waitFor()
    const bytes = (await page.evaluate(`performance.getEntries()
      .filter(({ entryType, name }) => entryType === 'navigation' || (entryType === 'resource' && isOfProgram(name)))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)
      function isOfProgram(name) { return /\\/dashboard\\/(assets\\/|[^/]+\\.(js|css|svg|woff2)$)/.test(name) }`)) as number
    weights.push({ path, bytes })
    await page.close()
  }
  return weights
}
