import { type BenchBrowser, delayOf, paintOf } from './browser.ts'

/** What somebody did once, in an empty browser; milliseconds. */
export interface Visit {
  readonly paints: { readonly list: number; readonly cachedList: number; readonly email: number }
  readonly delays: { readonly search: number; readonly page: number; readonly open: number }
}

/** One of the last, so that it is on the first page of what is found. */
const WANTED = 'customer-1'

export async function visitDashboard(browser: BenchBrowser, id: string): Promise<Visit> {
  const page = await browser.newPage()
  const row = page.locator('main .row-link').first()
  const isSettled = () => page.locator('main table[aria-busy="false"]').first().waitFor()
  const answerOf = (part: string) =>
    page.waitForResponse((reply) => /\/emails\?/.test(reply.url()) && reply.url().includes(part))
  await page.goto(`${browser.url}/dashboard/emails`)
  await row.waitFor()
  const list = await paintOf(page)
  const paging = await delayOf(page, async () => {
    await Promise.all([answerOf('after='), page.locator('[data-key="older"]').click()])
    await isSettled()
  })
  const search = await delayOf(page, async () => {
    await page.locator('main [data-filter]').first().click()
    const answer = answerOf(WANTED)
    await page.keyboard.type(WANTED, { delay: 30 })
    await page.keyboard.press('Enter')
    await answer
    await isSettled()
  })
  const open = await delayOf(page, async () => {
    await row.click()
    await page.locator('iframe[title]').first().waitFor()
  })
  await page.goto(`${browser.url}/dashboard/emails/${id}`)
  await page.locator('iframe[title]').first().waitFor()
  const email = await paintOf(page)
  await page.goto(`${browser.url}/dashboard/emails`)
  await row.waitFor()
  const cachedList = await paintOf(page)
  await page.close()
  return { paints: { list, cachedList, email }, delays: { search, page: paging, open } }
}

export async function visitStaticPage(browser: BenchBrowser, address: string): Promise<Visit> {
  const page = await browser.newPage()
  await page.goto(address, { waitUntil: 'load' })
  const list = await paintOf(page)
  const paging = await delayOf(page, () => page.getByRole('button').click())
  const search = await delayOf(page, async () => {
    await page.locator('input').click()
    await page.keyboard.type(WANTED, { delay: 30 })
  })
  const open = await delayOf(page, () => page.getByRole('link').click())
  await page.goto(address, { waitUntil: 'load' })
  const email = await paintOf(page)
  await page.goto(address, { waitUntil: 'load' })
  const cachedList = await paintOf(page)
  await page.close()
  return { paints: { list, cachedList, email }, delays: { search, page: paging, open } }
}
