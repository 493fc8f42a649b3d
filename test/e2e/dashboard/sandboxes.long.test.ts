import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { seriousFaults } from '../../harness/axe.ts'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { startDashboard } from '../../harness/dashboard.ts'

const NAME = '<b>Sign-up</b> & co'

describe.runIf(CHROMIUM)('in the dashboard, a sandbox', () => {
  const at = startDashboard()
  let sandbox: string
  let key: string

  const send = (to: string, subject: string, more: object = {}) =>
    at.service.call('POST', '/emails', { from: 'shop@example.com', to, subject, text: 'Hello', ...more }, key)
  const row = (text: string | RegExp) => at.page.locator('.message-row', { hasText: text })
  const tab = (name: string) => at.page.getByRole('tab', { name, exact: true })

  // Each test begins with one sandbox of its own, and leaves none.
  beforeEach(async () => {
    const { body } = await at.service.call('POST', '/sandboxes', { name: NAME })
    ;({ id: sandbox, api_key: key } = body)
    await at.follow(`/sandboxes/${sandbox}`)
    await at.page.getByRole('heading', { name: NAME }).waitFor()
  })
  afterEach(async () => {
    const { body } = await at.service.call('GET', '/sandboxes')
    for (const { id } of body.data) await at.service.call('DELETE', `/sandboxes/${id}`)
    expect(at.errors).toEqual([])
  })

  test('is made, shows its key once, and a program can use it', async () => {
    await at.service.call('DELETE', `/sandboxes/${sandbox}`)
    await at.open('/sandboxes')
    await at.page.getByText('No sandboxes yet').waitFor()
    await at.button('Create sandbox').first().click()
    await at.dialog().getByLabel('Name').fill(NAME)
    await at.dialog().getByLabel('Expires in').fill('two moons')
    await at.button('Create sandbox', at.dialog()).click()
    await at.dialog().getByRole('alert').waitFor()
    await at.dialog().getByLabel('Expires in').fill('2 hours')
    await at.button('Create sandbox', at.dialog()).click()

    await at.page.getByRole('heading', { name: NAME }).waitFor()
    const shown = (await at.page
      .getByText(/^re_[\w-]+$/)
      .first()
      .textContent())!
    expect(at.page.url()).toMatch(/sandboxes\/[^?]+/)
    expect((await at.service.call('GET', '/emails', undefined, shown)).status).toBe(200)
    await at.page.reload()
    await at.page.getByText('are shown once').waitFor()
    expect(await at.page.content()).not.toContain(shown)
  })

  test('shows its mail as it comes, with its codes and links, and no mail of others', async () => {
    await at.post('/emails', { from: 'a@example.com', to: 'b@example.com', subject: 'Of the team', text: 'Hi' })
    await tab('Mail').click()
    await at.page.getByText('No email yet').waitFor()

    const html = '<p>Your code is <b>482 913</b>.</p><a href="https://example.com/confirm">Confirm</a>'
    await send('ada@example.com', '<i>Confirm</i> your address', { html })

    await row('<i>Confirm</i> your address').getByText('delivered').waitFor()
    await row('ada@example.com').getByRole('link').click()
    await at.page.getByLabel('Codes').getByText('482913').waitFor()
    await at.page.frameLocator('iframe[title]').getByText('482 913').waitFor()
    await at.page.getByRole('tab', { name: /^Links/ }).click()
    await at.page.getByRole('link', { name: 'https://example.com/confirm' }).waitFor()
    expect(await at.page.locator('.message-row').count()).toBe(1)
    await expect.poll(() => row('ada@example.com').getAttribute('class')).not.toContain('unread')
  })

  test('has rules for the world outside, which are refused at the field that is wrong', async () => {
    await tab('Scenario').click()
    await at.page.getByText('All email is accepted.').waitFor()
    await at.button('Add email rule').click()
    await at.page.getByRole('menuitem', { name: 'Opened and clicked' }).click()
    await at.button('Add email rule').click()
    await at.page.getByRole('menuitem', { name: 'Rejected: no such user' }).click()
    await at.button('Move rule 2 up').click()
    const rule = at.page.getByRole('region', { name: 'Rule 1' })
    await rule.getByLabel('To', { exact: true }).fill('nobody@*')
    await rule.getByLabel('Reply').fill('no')
    await at.button('Save').click()

    await rule.getByLabel('Reply').and(at.page.locator('[aria-invalid]')).waitFor()
    await rule.getByLabel('Reply').fill('550 5.1.1 nobody of that name')
    await at.button('Save').click()
    await at.page.getByText('Scenario saved').waitFor()
    await at.button('JSON').click()
    await at.page.getByText('"reply": "550 5.1.1 nobody of that name"').waitFor()
    await send('nobody@example.com', 'Into the void')
    await tab('Mail').click()
    await row('Into the void').getByText('bounced').waitFor()
    await row('Into the void').getByRole('link').click()
    await at.page.getByRole('tab', { name: 'Timeline' }).click()
    await at.page.getByText('550 5.1.1 nobody of that name').first().waitFor()
  })

  test('has a clock that is set forward, and tells what happened on the way', async () => {
    await tab('Clock').click()
    await at.page.getByLabel('Frozen').check()
    await at.page.getByText('Clock frozen', { exact: true }).waitFor()
    const { body: before } = await at.service.call('GET', '/clock', undefined, key)
    await send('ada@example.com', 'A reminder', { scheduled_at: 'in 2 days' })
    await at.page.getByLabel('Exact duration').fill('a while')
    expect(await at.button('Advance').isDisabled()).toBe(true)
    await at.page.getByLabel('Duration', { exact: true }).fill('10')
    await at.page.getByLabel('Duration', { exact: true }).press('ArrowRight')
    expect(await at.page.getByLabel('Exact duration').inputValue()).toBe('3 days')
    await at.button('Advance').click()

    const happened = at.page.getByRole('list', { name: 'Events' })
    await happened
      .getByRole('listitem')
      .filter({ hasText: /delivered.*A reminder to ada@example.com/ })
      .waitFor()
    // It goes in parts where a part takes long.
    await at.page.getByText(/^Advanced to .* events? in \d+ steps?\.$/).waitFor()
    const { body: after } = await at.service.call('GET', '/clock', undefined, key)
    expect(Date.parse(after.now) - Date.parse(before.now)).toBe(3 * 86_400_000)
    await happened.getByRole('link', { name: 'A reminder' }).first().click()
    await at.page.getByRole('heading', { name: 'A reminder' }).waitFor()
  })

  test('is for everybody: by light and in the dark, and on a telephone', async () => {
    const faults: string[] = []
    const wide: string[] = []
    const paths = [
      '/sandboxes',
      ...['mail', 'clock', 'scenario', 'connect'].map((one) => `/sandboxes/${sandbox}?tab=${one}`),
    ]
    const look = async (some: readonly string[]) => {
      for (const path of some) {
        await at.follow(path)
        await at.page.locator('main h1').waitFor()
        await at.page.locator('.loading').first().waitFor({ state: 'detached' })
        faults.push(...(await seriousFaults(at.page)).map((fault) => `${path}: ${fault}`))
        if (Number(await at.page.evaluate('document.documentElement.scrollWidth')) > at.page.viewportSize()!.width)
          wide.push(path)
      }
    }
    await look(paths.slice(2, 4))
    await at.button('Dark theme').click()
    await at.page.setViewportSize({ width: 390, height: 800 })
    await look(paths)

    expect(faults).toEqual([])
    expect(wide).toEqual([])
    await at.page.setViewportSize({ width: 1280, height: 860 })
  })

  test('is deleted, after a question', async () => {
    await at.follow(`/sandboxes/${sandbox}`)
    await at.button('Delete').click()
    await at.button('Delete sandbox', at.dialog()).click()

    await at.page.getByText('No sandboxes yet').waitFor()
    expect((await at.service.call('GET', '/emails', undefined, key)).status).toBe(403)
  })
})
