import { describe, expect, test } from 'vitest'
import { seriousFaults } from '../../harness/axe.ts'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { startDashboard } from '../../harness/dashboard.ts'

const TELEPHONE = { width: 390, height: 844 }
const DESK = { width: 1280, height: 860 }

describe.runIf(CHROMIUM)('keys that cannot do harm', () => {
  const at = startDashboard()
  const row = (name: RegExp) => at.page.getByRole('row', { name })
  const isTooWide = () =>
    at.page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth')

  const newKey = async (name: string, policy: object) =>
    (await at.service.call('POST', '/api-keys', { name, permission: 'sending_access', policy })).body as {
      id: string
      token: string
    }
  const send = (token: string, email: object) =>
    at.service.call('POST', '/emails', { from: 'bot@example.com', subject: 'Hi', html: '<p>Hi</p>', ...email }, token)
  const hold = async (token: string, email: object) => (await send(token, email)).body.id as string
  const statusOf = async (id: string) => (await at.service.call('GET', `/emails/${id}`)).body.last_event as string

  /** What waits from other tests is decided, so that each begins with an empty list. */
  const clear = async () => {
    const { data } = (await at.service.call('GET', '/approvals?limit=100')).body as { data: { id: string }[] }
    const ids = data.map(({ id }) => id)
    if (ids.length > 0) await at.service.call('POST', '/approvals/decide', { decision: 'refuse', ids })
  }

  test('a key is made with a policy, and its page tells what it was refused', async () => {
    await at.follow('/api-keys')
    await at.button('Create API key').first().click()
    const form = at.dialog()
    await form.getByLabel('Name').fill('agent')
    await form.getByLabel('Permission').selectOption('sending_access')
    await form.getByLabel('Restrict with a policy').check()
    await at.button('Only these', form).click()
    await form.getByLabel('Addresses').fill('ada')
    await form.getByLabel('Per hour').fill('many')
    await at.button('Create API key', form).click()
    await form.getByText('“ada” is not an email address.').waitFor()
    await form.getByText('A whole number from 0 to 1,000,000.').waitFor()
    expect(await seriousFaults(at.page)).toEqual([])

    await form.getByLabel('Addresses').fill('ada@example.com')
    await form.getByLabel('Per hour').fill('2')
    await form.getByText('It can write only to: ada@example.com.').waitFor()
    await form.getByText('It can send at most 2 emails in 60 minutes; each recipient counts as an email.').waitFor()
    await at.button('Create API key', form).click()
    const token = (await at.dialog().locator('code').textContent())!
    await at.button('Close', at.dialog()).click()

    expect((await send(token, { to: 'ada@example.com', subject: 'Allowed' })).status).toBe(200)
    expect((await send(token, { to: 'bob@example.org', subject: 'Beyond' })).status).toBe(403)
    await row(/^agent/)
      .getByRole('link', { name: 'agent' })
      .click()
    await row(/bob@example.org Recipients Beyond/).waitFor()
    await row(/ada@example.com Allowed/).waitFor()
    await at.page.getByText('1 of 2').waitFor()
    // Without a reload: the page hears of what is refused while it is open.
    expect((await send(token, { to: 'eve@example.net', subject: 'Live' })).status).toBe(403)
    await row(/eve@example.net Recipients Live/).waitFor()
    expect(await seriousFaults(at.page)).toEqual([])
    await at.page.setViewportSize(TELEPHONE)
    expect(await isTooWide()).toBe(false)
    await at.page.setViewportSize(DESK)

    await at.button('Edit policy').click()
    await at.page.getByLabel('Domains').fill('example.org')
    await at.button('Save policy').click()
    await at.page.getByText('Policy saved').waitFor()
    await at.page.getByText('It can write only to: ada@example.com; any address at example.org.').waitFor()
    expect((await send(token, { to: 'bob@example.org' })).status).toBe(200)
    expect((await send(token, { to: 'bob@example.org' })).status).toBe(403)

    await at.button('Remove policy').click()
    await at.button('Remove policy', at.dialog()).click()
    await at.page.getByText('Policy removed').waitFor()
    await at.page.getByText('No policy.').waitFor()
    expect((await send(token, { to: 'cleo@example.net' })).status).toBe(200)
    expect(at.errors).toEqual([])
  })

  test('what waits is looked at, approved and refused, one by one and together', async () => {
    await clear()
    const { id: key, token } = await newKey('writer', { hold: true })
    const invoices: string[] = []
    for (const name of ['ada', 'bob', 'cleo'])
      invoices.push(await hold(token, { to: `${name}@example.com`, subject: 'Invoice', html: '<h1>Pay</h1>' }))
    const welcome = await hold(token, { to: 'dora@example.com', subject: 'Welcome' })
    const offer = await hold(token, { to: 'emil@example.com', subject: 'Offer' })

    await at.follow('/approvals')
    const group = (name: string) => at.page.getByRole('region', { name, exact: true })
    await group('Invoice').getByText('bot@example.com · API key “writer”').waitFor()
    await expect.poll(() => group('Invoice').getByRole('listitem').count()).toBe(3)
    await at.page.getByRole('link', { name: /^Approvals\s*5/ }).waitFor()
    expect(await seriousFaults(at.page)).toEqual([])
    await at.page.setViewportSize(TELEPHONE)
    expect(await isTooWide()).toBe(false)
    await at.page.setViewportSize(DESK)

    await group('Invoice').getByRole('link', { name: 'ada@example.com' }).click()
    await at.page.frameLocator('iframe[title="Email preview"]').getByRole('heading', { name: 'Pay' }).waitFor()
    await at.page.getByRole('link', { name: 'API key “writer”' }).waitFor()
    expect(await seriousFaults(at.page)).toEqual([])
    await at.button('Approve').click()
    await at.page.getByText('Email approved').waitFor()
    await expect.poll(() => statusOf(invoices[0]!)).toBe('delivered')

    await at.follow('/approvals')
    await at.button('Refuse “Offer” to emil@example.com').click()
    await at.button('Refuse', at.dialog()).click()
    await at.page.getByText('Email refused').waitFor()
    await group('Offer').waitFor({ state: 'detached' })
    expect(await statusOf(offer)).toBe('canceled')

    await at.page.getByRole('checkbox', { name: 'Select all “Invoice”' }).check()
    await at.page.getByRole('checkbox', { name: /^Select “Welcome”/ }).check()
    await at.page.getByText('3 selected').waitFor()
    // As on every list, by keys: the question names what is alike once.
    await at.page.keyboard.press('a')
    await at.dialog().getByText('2 × Invoice').waitFor()
    await at.dialog().getByText('Sent to 3 recipients in all.').waitFor()
    await at.button('Approve 3 emails', at.dialog()).click()
    await at.page.getByText('3 emails approved').waitFor()
    await at.page.getByText('Nothing waits for approval').waitFor()
    await expect
      .poll(() => Promise.all([...invoices.slice(1), welcome].map(statusOf)))
      .toEqual(['delivered', 'delivered', 'delivered'])

    await at.button('Approved', at.page).click()
    await row(/ada@example.com Invoice API key “writer” owner@localhost/).waitFor()
    await at.button('Refused', at.page).click()
    await row(/emil@example.com Offer/).waitFor()
    await at.follow(`/api-keys/${key}`)
    await row(/emil@example.com Offer canceled/i).waitFor()
    expect(at.errors).toEqual([])
  })

  test('whoever comes second is told who was first', async () => {
    await clear()
    const { token } = await newKey('late', { hold: true })
    const ids: string[] = []
    for (const name of ['ada', 'bob', 'cleo'])
      ids.push(await hold(token, { to: `${name}@example.com`, subject: `To ${name}` }))
    await at.follow('/approvals')
    await at.button('Approve “To ada” to ada@example.com').click()
    await at.dialog().getByText('It is sent to 1 recipient.').waitFor()
    await at.service.call('POST', `/approvals/${ids[0]}/refuse`)
    await at.button('Approve', at.dialog()).click()
    await at.page.getByText(/^Already refused by /).waitFor()
    expect(await statusOf(ids[0]!)).toBe('canceled')

    await at.button('Approve all 2 shown').click()
    await at.dialog().getByText('Approve 2 emails?').waitFor()
    await at.service.call('POST', `/approvals/${ids[1]}/refuse`)
    await at.button('Approve 2 emails', at.dialog()).click()
    await at.page.getByText('Email approved').waitFor()
    await at.dialog().getByText('1 email was not decided').waitFor()
    await at
      .dialog()
      .getByText(/^Already refused by /)
      .waitFor()
    await at.page.keyboard.press('Escape')
    await expect.poll(() => statusOf(ids[2]!)).toBe('delivered')
    expect(await statusOf(ids[1]!)).toBe('canceled')

    const last = await hold(token, { to: 'dora@example.com', subject: 'Open' })
    await at.follow(`/approvals/${last}`)
    await at.button('Approve').waitFor()
    await at.service.call('POST', `/approvals/${last}/approve`)
    // Without a reload: the page hears of it.
    await at.page.getByRole('heading', { name: /^Open approved/i }).waitFor()
    expect(await at.button('Approve').count()).toBe(0)
    expect(at.errors).toEqual([])
  })
})
