import { createTransport } from 'nodemailer'
import type { Request } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { seriousFaults } from '../../harness/axe.ts'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { startDashboard } from '../../harness/dashboard.ts'
import { makeGate } from '../../harness/gate.ts'

describe.runIf(CHROMIUM)('in the dashboard, all mail', () => {
  const at = startDashboard()

  const row = (text: string) => at.page.locator('.message-row', { hasText: text })
  const rows = () => at.page.locator('.message-row').count()
  const pressed = async (...keys: readonly string[]) => {
    for (const key of keys) await at.page.keyboard.press(key)
  }

  beforeAll(async () => {
    const letter = { from: 'shop@example.com', text: 'Thank you for your order.' }
    await at.post('/emails/batch', [
      { ...letter, to: 'ada@example.com', subject: 'Your receipt' },
      { ...letter, to: 'grace@example.com', subject: '<script>alert(1)</script>' },
      { ...letter, to: 'alan@example.com', subject: 'Your parcel', tags: [{ name: 'kind', value: 'parcel' }] },
    ])
  })

  test('is one list of what was sent and what came in, which grows while one looks at it', async () => {
    await at.open('/messages')
    await row('Your receipt').waitFor()
    await createTransport({ host: '127.0.0.1', port: at.service.smtpPort, ignoreTLS: true }).sendMail({
      ...{ from: 'barbara@elsewhere.example', to: 'desk@inbox.example', subject: 'A question', text: 'Is it oiled?' },
    })

    await row('A question').getByText('barbara@elsewhere.example').waitFor()
    expect(await rows()).toBe(4)
    expect(await row('A question').getAttribute('class')).toContain('unread')
    expect(await row('<script>alert(1)</script>').count()).toBe(1)
    expect(await seriousFaults(at.page)).toEqual([])
  })

  test('is searched by words and narrowed by terms, and the address says by which', async () => {
    await pressed('/')
    await at.page.keyboard.type('parcel')
    await row('Your receipt').waitFor({ state: 'detached' })
    await row('Your parcel').waitFor()
    await at.page.getByLabel('Search mail').fill('to:ada@example.com is:unread')
    await pressed('Enter')
    await row('Your receipt').waitFor()
    expect(await rows()).toBe(1)
    expect(at.page.url()).toContain('is_read=false')
    await at.page.reload()
    await row('Your receipt').waitFor()
    expect(await rows()).toBe(1)
    expect(await at.button('Unread').getAttribute('aria-pressed')).toBe('true')
    await at.button('Remove to: ada@example.com').click()
    await row('A question').waitFor()
    await at.button('Received').click()
    await row('Your receipt').waitFor({ state: 'detached' })
    await at.button('Clear all').click()
    await row('Your receipt').waitFor()
  })

  test('is as it was marked last, also when the mark before it takes long', async () => {
    const gate = makeGate()
    const isMark = (request: Request, isRead: boolean) =>
      request.method() === 'PATCH' && request.postDataJSON().is_read === isRead
    const marked = (isRead: boolean) => at.page.waitForResponse((answer) => isMark(answer.request(), isRead))
    await at.page.route('**/messages/*', async (route) => {
      if (isMark(route.request(), true)) await gate.opened
      return route.continue()
    })
    const answers = Promise.all([marked(true), marked(false)])
    await row('Your receipt').getByRole('link').click()
    await expect.poll(() => row('Your receipt').getAttribute('class')).not.toContain('unread')
    await pressed('U')
    await expect.poll(() => row('Your receipt').getAttribute('class')).toContain('unread')
    gate.open()
    await answers
    await at.page.unroute('**/messages/*')

    const { data } = (await at.service.call('GET', '/messages?to=ada@example.com')).body
    expect(data).toMatchObject([{ subject: 'Your receipt', is_read: false }])
    await pressed('Escape')
  })

  test('is walked through by keys, and read when it is opened', async () => {
    await at.page.locator('main').focus()
    await pressed('j', 'j', 'Enter')

    await at.page.getByRole('heading', { name: 'Your parcel' }).waitFor()
    await expect.poll(() => row('Your parcel').getAttribute('class')).not.toContain('unread')
    await pressed('j')
    await at.page.getByRole('heading', { name: '<script>alert(1)</script>' }).waitFor()
    await expect.poll(() => row('<script>alert(1)</script>').getAttribute('class')).not.toContain('unread')
    await at.button('Label').click()
    await at.page.getByLabel('New label').fill('odd, and more')
    await pressed('Enter')
    expect(await at.page.locator('input:invalid').getAttribute('name')).toBe('label')
    await at.page.getByLabel('New label').fill('odd')
    await pressed('Enter')
    await at.button('Remove label odd').waitFor()
    expect(await seriousFaults(at.page)).toEqual([])
    await pressed('U', 'Escape')
    await row('<script>alert(1)</script>').getByText('odd').waitFor()
    await expect.poll(() => row('<script>alert(1)</script>').getAttribute('class')).toContain('unread')
    await at.button('Mark all as read').click()
    await at.page.getByText('3 messages marked as read').waitFor()
    await expect.poll(() => at.page.locator('.message-row.unread').count()).toBe(0)
  })

  test('stays on this machine; how one message is released by hand is told where no relay is set', async () => {
    await row('Your receipt').getByRole('link').click()
    await at.button('Release…').click()
    await at.dialog().getByText('POSTWREN_RELAY_URL=').waitFor()
    await pressed('Escape')
    await pressed('Escape')
  })

  test('is deleted: one by a key, the chosen ones, and all that fit, each after a question', async () => {
    await row('A question').getByRole('link').focus()
    await pressed('#')
    await at.dialog().getByText('Delete this message?').waitFor()
    await at.button('Cancel', at.dialog()).click()
    expect(await rows()).toBe(4)
    await row('A question').getByRole('link').focus()
    await pressed('#')
    await at.button('Delete permanently', at.dialog()).click()
    await row('A question').waitFor({ state: 'detached' })
    await row('Your parcel').getByRole('checkbox').check()
    await at.button('Delete').click()
    await at.button('Delete permanently', at.dialog()).click()
    await row('Your parcel').waitFor({ state: 'detached' })
    await at.page.getByLabel('Search mail').fill('receipt')
    await row('<script>alert(1)</script>').waitFor({ state: 'detached' })
    await at.button('Actions for all messages').click()
    await at.page.getByRole('menuitem', { name: 'Delete all results…' }).click()
    await at.button('Delete permanently', at.dialog()).click()
    await at.page.getByText('No messages match this filter').waitFor()
    await at.button('Clear all').click()
    await row('<script>alert(1)</script>').waitFor()

    expect(await rows()).toBe(1)
    const { data } = (await at.service.call('GET', '/emails')).body
    expect(data).toHaveLength(1)
  })

  test('nothing was thrown in the page all the while', () => {
    expect(at.errors).toEqual([])
  })
})
