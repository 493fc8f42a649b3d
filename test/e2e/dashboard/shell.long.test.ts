import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { seriousFaults } from '../../harness/axe.ts'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { startDashboard } from '../../harness/dashboard.ts'
import { Service } from '../../harness/service.ts'

describe.runIf(CHROMIUM)('the frame of the dashboard', () => {
  const at = startDashboard()

  beforeEach(() => at.page.setViewportSize({ width: 1280, height: 860 }))

  const link = (name: string | RegExp) => at.page.getByRole('link', { name, exact: typeof name === 'string' })
  const heading = (name: string) => at.page.getByRole('heading', { name, exact: true })
  const focused = () => at.page.evaluate('document.activeElement.name || document.activeElement.textContent')

  test('onboarding lasts until all of it is done, and has snippets for every client', async () => {
    const started = at.page.getByRole('region', { name: 'Get started' })
    await started.getByText('0 of 3 done').waitFor()
    for (const [name, part] of Object.entries({
      Node: `baseUrl: '${at.service.url}'`,
      Python: 'resend.api_url',
      Go: 'resend.NewClient',
      PHP: 'Resend::client',
      SMTP: 'Password  re_xxxxxxxxx',
      CLI: 'resend-cli emails send',
    })) {
      await started.getByRole('tab', { name }).click()
      await started.getByRole('tabpanel').getByText(part).waitFor()
    }
    expect(await seriousFaults(at.page)).toEqual([])

    await at.post('/emails', { from: 'a@example.com', to: 'b@example.com', subject: 'Hi', text: 'Hi' })
    const strip = at.page.getByRole('complementary', { name: 'Get started' })
    await strip.getByText('1 of 3 done').waitFor()
    await at.post('/webhooks', { endpoint: 'http://127.0.0.1:1/', events: ['email.sent'] })
    await at.page.reload()
    await strip.getByText('Next: Create an API key').waitFor()
    await at.button('Dismiss', strip).click()
    await strip.waitFor({ state: 'detached' })
    await at.page.reload()
    await at.page.getByRole('row', { name: /b@example.com/ }).waitFor()
    expect(await strip.count()).toBe(0)

    await at.follow('/settings')
    await link('Steps and code snippets').click()
    await heading('Get started').first().waitFor()
    await started.getByText('2 of 3 done').waitFor()
  })

  test('sections lead to tabs, by pointer and by keyboard, and say where one is', async () => {
    await link('Audience').click()
    await heading('Contacts').waitFor()
    const tabs = at.page.getByRole('navigation', { name: 'Audience' }).getByRole('link')
    expect(await tabs.allInnerTexts()).toEqual([
      ...['Contacts', 'Segments', 'Topics', 'Properties', 'Imports', 'Suppressions'],
    ])
    await tabs.nth(1).focus()
    await at.page.keyboard.press('Tab')
    await at.page.keyboard.press('Enter')
    await heading('Topics').waitFor()
    expect(await at.page.locator('[aria-current="page"]').allInnerTexts()).toEqual(['Audience', 'Topics'])
    await at.page.locator('main').focus()
    await at.page.keyboard.press('g')
    await at.page.keyboard.press('w')
    await heading('Webhooks').waitFor()
    expect(await at.page.locator('[aria-current="page"]').allInnerTexts()).toEqual(['Developers', 'Webhooks'])
    await at.page.locator('.side').getByText('Sandbox', { exact: true }).waitFor()
  })

  test('on a telephone the sections are in a sheet, which closes and gives the focus back', async () => {
    await at.page.setViewportSize({ width: 390, height: 800 })
    await at.button('Menu').click()
    await at.dialog().getByRole('link', { name: 'Developers' }).waitFor()
    await at.page.keyboard.press('Escape')
    await at.dialog().waitFor({ state: 'detached' })
    await expect.poll(() => at.page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Menu')
    await at.button('Menu').click()
    // To the page that is open: it is to be seen.
    await at.dialog().getByRole('link', { name: 'Developers' }).click()
    await heading('API keys').waitFor()
    await at.dialog().waitFor({ state: 'detached' })
  })

  test.each([
    { width: 1280, height: 700 },
    { width: 390, height: 600 },
  ])('a dialog fits into $width × $height, begins on its first field and gives the focus back', async (size) => {
    await at.follow('/webhooks')
    await at.page.setViewportSize(size)
    await at.button('Add webhook').click()
    await expect.poll(focused).toBe('endpoint')
    const box = (await at.dialog().boundingBox())!
    const act = (await at.button('Add webhook', at.dialog()).boundingBox())!
    expect([box.y >= 0, box.y + box.height <= size.height, act.y + act.height <= size.height]).toEqual([
      true,
      true,
      true,
    ])
    expect(await at.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(size.width)
    await at.page.keyboard.press('Escape')
    await expect.poll(focused).toBe('Add webhook')
  })

  test('a refusal is said once, at its field and in words', async () => {
    await at.follow('/domains')
    await at.button('Add domain').click()
    await at.dialog().getByLabel('Name').fill('not a domain')
    await at.button('Add domain', at.dialog()).click()
    const problem = at.dialog().locator('.field-problem, .form-error')
    await problem.first().waitFor()

    expect(await problem.count()).toBe(1)
    expect(await problem.first().textContent()).not.toMatch(/`|Invalid/)
    expect(await at.page.locator('.toast').count()).toBe(0)
    await at.page.keyboard.press('Escape')
  })

  test.each([
    ['/emails/nonsense', 'Not found', 'Sent'],
    ['/emails/01932b5c-7d3e-7c46-9a51-6f6f0c1d2e3f', 'Email not found', 'Sent'],
    ['/webhooks/nonsense', 'Not found', 'Webhooks'],
  ])('%s leads back to its list', async (path, title, list) => {
    await at.follow(path)
    await heading(title).waitFor()
    await link('Back to list').click()

    await heading(list).waitFor()
  })

  describe('when the service is away', () => {
    let port: string

    beforeAll(async () => {
      const { page } = at
      await at.open('/topics')
      await at.button('Add topic').first().waitFor()
      await at.post('/topics', { name: 'News' })
      await page.getByRole('row', { name: /News/ }).waitFor()
      port = new URL(at.service.url).port
      await at.service.stop()
    })

    test('says so, keeps what is shown, offers to reload pages that were never loaded, and goes on when it is back', async () => {
      await at.page.getByText('Connection lost. Retrying…').waitFor()
      await at.page.getByRole('row', { name: /News/ }).waitFor()
      await link('Metrics').click()
      await heading('This page could not be loaded').waitFor()
      await at.button('Reload').click()
      await heading('This page could not be loaded').waitFor()
      const { dataDir } = at.service
      const settings = { POSTWREN_PORT: port, POSTWREN_DNS_SERVERS: '127.0.0.1:1', POSTWREN_RATE_LIMIT: '0' }
      await Service.start({ dataDir, lifetime: 'file', settings })

      await heading('Metrics').waitFor()
      await at.page.getByText('Connection lost. Retrying…').waitFor({ state: 'detached' })
      await link('Audience').click()
      await heading('Contacts').waitFor()
    })
  })

  test('a page of a build that is gone offers to reload', async () => {
    await at.page.route('**/assets/templates-page-*', (route) => route.fulfill({ status: 404, body: 'Not found.' }))
    await link('Templates').click()
    await heading('This page could not be loaded').waitFor()
    await at.page.unroute('**/assets/templates-page-*')
    await at.button('Reload').click()

    await heading('Templates').waitFor()
  })

  test('relative times go on, by a timer of the page', async () => {
    await at.page.clock.install()
    await at.open('/emails')
    const time = at.page.getByRole('row', { name: /b@example.com/ }).locator('time')
    const before = await time.textContent()
    await at.page.clock.runFor('02:00:00')

    await time.getByText('2 hours ago').waitFor()
    expect(before).not.toBe('2 hours ago')
  })
})
