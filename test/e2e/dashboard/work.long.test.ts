import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { seriousFaults } from '../../harness/axe.ts'
import { openBrowser } from '../../harness/chromium.ts'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { startDashboard } from '../../harness/dashboard.ts'
import { startReceiver } from '../../harness/receiver.ts'

const VIEW = { wide: { width: 1440, height: 900 }, telephone: { width: 390, height: 844 } }

describe.runIf(CHROMIUM)('what somebody does who', () => {
  const at = startDashboard()
  const row = (name: RegExp) => at.page.getByRole('row', { name })
  const isTooWide = () =>
    at.page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth')

  test('invites a colleague on a laptop: by the link of the dialog, which the colleague opens', async () => {
    await at.follow('/people')
    await at.button('Invite member').click()
    await at.dialog().getByLabel('Email').fill('grace@example.com')
    await at.dialog().getByLabel('Role').selectOption('developer')
    await at.button('Create invitation').click()
    await at.dialog().getByText('No email leaves this machine.').waitFor()
    const link = await at.dialog().locator('code').textContent()
    expect(await seriousFaults(at.page)).toEqual([])
    await at.page.keyboard.press('Escape')

    await at.button('Actions for the invitation of grace@example.com').click()
    await at.page.getByRole('menuitem', { name: 'Copy invite link' }).click()
    expect(await at.dialog().locator('code').textContent()).toBe(link)
    await at.page.keyboard.press('Escape')
    await at.follow('/messages')
    await at.page.getByText('owner@localhost invited you to').first().waitFor()

    const { page } = await openBrowser()
    await page.goto(link!)
    await page.getByRole('button', { name: /^Join / }).click()
    await page.locator('.side nav').waitFor()
    await at.follow('/people')
    await row(/^grace@example.com developer/).waitFor()
  })

  test('imports a file with mistakes: sees which rows failed and why, and gets them as a file', async () => {
    await at.post('/contact-properties', { key: 'plan', type: 'string' })
    await at.post('/contact-properties', { key: 'seats', type: 'number' })
    await at.follow('/imports')
    await at.button('Import file').first().click()
    const file =
      'E-Mail,Plan,Seats,Town,Rest\nada@example.com,pro,3,London,x\nbob,free,1,Paris,y\ncleo@example.com,pro,many,Rome,z\n'
    await at
      .dialog()
      .getByLabel('CSV file')
      .setInputFiles({
        ...{ name: 'contacts.csv', mimeType: 'text/csv' },
        buffer: Buffer.from(file),
      })
    const chosen = (column: RegExp) => at.dialog().getByLabel(column).inputValue()
    await at.dialog().getByText('ada@example.com, bob, cleo@example.com').waitFor()
    expect([await chosen(/^E-Mail/), await chosen(/^Plan/), await chosen(/^Seats/), await chosen(/^Rest/)]).toEqual([
      'field:email',
      'property:plan',
      'property:seats',
      '',
    ])
    await at.dialog().getByLabel(/^Town/).selectOption('town (text)')
    expect(await seriousFaults(at.page)).toEqual([])
    await at.button('Import', at.dialog()).last().click()

    await row(/completed 3 rows 1 0 0 2/)
      .getByRole('button')
      .click()
    const rows = at.dialog().getByRole('table', { name: 'failed rows' }).getByRole('row')
    await rows.nth(2).waitFor()
    expect((await rows.allInnerTexts()).slice(1).map((text) => text.split(/\s*\t\s*/))).toEqual([
      ['3', 'E-Mail', 'bob', 'Not a valid email address.'],
      ['4', 'Seats', 'many', 'Not a number.'],
    ])
    const [download] = await Promise.all([
      at.page.waitForEvent('download'),
      at.button('Download failed rows', at.dialog()).click(),
    ])
    expect(readFileSync(await download.path(), 'utf8').split('\r\n')).toEqual([
      '"E-Mail","Plan","Seats","Town","Rest","Row","Error"',
      '"bob","free","1","Paris","y","3","Not a valid email address."',
      '"cleo@example.com","pro","many","Rome","z","4","Not a number."',
    ])
    await at.page.keyboard.press('Escape')
    const { body } = await at.service.call('GET', '/contacts/ada@example.com')
    expect(body.properties).toMatchObject({ plan: { value: 'pro' }, seats: { value: 3 }, town: { value: 'London' } })
  })

  test('fixes a failing webhook: sees what failed, tests the endpoint, and replays what it missed', async () => {
    const receiver = await startReceiver()
    receiver.fail(503)
    const { id } = await at.post('/webhooks', { endpoint: receiver.url, events: ['topic.created'] })
    for (const name of ['News', 'Offers']) await at.post('/topics', { name, default_subscription: 'opt_in' })
    await at.follow(`/webhooks/${id}`)
    // The second attempt is made after five seconds, and is not to succeed; the third is minutes away.
    await row(/^topic.created failing Next attempt in \d minutes 503/)
      .nth(1)
      .waitFor()
    expect(await row(/pending/).count()).toBe(0)

    await at.page.getByRole('tab', { name: 'PHP' }).click()
    await at.page.getByText('$webhook->verify').waitFor()
    receiver.succeed()
    await at.button('Send test event').first().click()
    await at.dialog().getByLabel('Event').selectOption('email.bounced')
    await at.button('Send test event', at.dialog()).click()
    await at.dialog().getByText('Test event with sample data').waitFor()
    await at.dialog().getByText('200').first().waitFor()
    await at
      .dialog()
      .getByText(/^\d+ ms$/)
      .waitFor()
    expect(receiver.received.at(-1)!.event).toMatchObject({ type: 'email.bounced', test: true })
    await at.page.keyboard.press('Escape')
    await row(/^email.bounced Test delivered 200/).waitFor()

    await at.button('Filters').click()
    await at.page.getByRole('combobox', { name: 'Status', exact: true }).selectOption('Failing')
    await at.page.keyboard.press('Escape')
    await at.page.waitForURL(/status=failing/)
    await row(/^email.bounced/).waitFor({ state: 'detached' })
    await row(/^topic.created/)
      .nth(1)
      .waitFor()
    expect(await row(/^topic.created/).count()).toBe(2)
    await at.button('Replay all failed').click()
    await at.dialog().getByLabel('Events from').selectOption('The last hour')
    expect(await seriousFaults(at.page)).toEqual([])
    await at.button('Replay all failed', at.dialog()).click()
    await at.page.getByText('Failed events queued for redelivery').waitFor()
    const statuses = async () => {
      const { body } = await at.service.call('GET', `/webhooks/${id}/events`)
      return body.data.map(({ status }: { status: string }) => status)
    }
    await expect.poll(statuses).toEqual(['success', 'success', 'success'])
    await at.open(`/webhooks/${id}?status=success`)
    await row(/^topic.created delivered 200/)
      .nth(1)
      .waitFor()

    await at.button('Disable').click()
    await at.button('Disable webhook', at.dialog()).click()
    await at.page.getByRole('heading', { name: 'Webhook disabled' }).waitFor()
    expect(await at.button('Replay all failed').isDisabled()).toBe(true)
    await at.button('Enable').click()
    await at.page.getByRole('heading', { name: /enabled$/ }).waitFor()
    expect(await seriousFaults(at.page)).toEqual([])
  })

  test('changes an automation that is live: undoes, redoes, saves and re-enables it', async () => {
    const steps = [
      { key: 'start', type: 'trigger', config: { event_name: 'order.placed' } },
      { key: 'pause', type: 'delay', config: { duration: '1 day' } },
    ]
    const connections = [{ from: 'start', to: 'pause', type: 'default' }]
    const { id } = await at.post('/automations', { name: 'Orders', status: 'enabled', steps, connections })
    await at.service.call('POST', '/events/send', {
      event: 'order.placed',
      email: 'ada@example.com',
      payload: { total: 42 },
    })
    await expect.poll(async () => (await at.service.call('GET', `/automations/${id}/runs`)).body.data.length).toBe(1)
    await at.follow(`/automations/${id}`)
    await at.page.getByText('This automation is live.').waitFor()
    expect(await at.button('Disable').getAttribute('class')).not.toContain('primary')
    const card = (name: string) => at.page.locator('[data-step]').filter({ hasText: name })

    await at.button(/^Add step$/).click()
    await at.page.getByRole('menuitem', { name: 'Condition' }).click()
    await at.page.getByLabel('Field', { exact: true }).selectOption('event.total')
    await at.page.getByLabel('Comparison').selectOption('is more than')
    await at.page.getByLabel('Value', { exact: true }).fill('10')
    await card('If event.total is more than 10').waitFor()
    await at.page.getByRole('heading', { name: /^Orders/ }).click()
    await at.page.keyboard.press('Control+z')
    await card('If …').waitFor()
    await at.page.keyboard.press('Control+z')
    await expect.poll(() => card('If').count()).toBe(0)
    await at.page.keyboard.press('Control+Shift+z')
    await at.button('Redo').click()
    await card('If event.total is more than 10').waitFor()

    await at.button('Save and re-enable').click()
    await at.button('Save and re-enable', at.dialog()).click()
    await at.page.getByText('Saved. New runs use these steps.').waitFor()
    const { body } = await at.service.call('GET', `/automations/${id}`)
    expect([body.status, body.steps.length]).toEqual(['enabled', 3])
    await at.follow(`/automation-runs?automation_id=${id}`)
    await row(/^ada@example.com Orders running Resumes/).waitFor()
  })

  test('sets up a domain on a telephone: records stand below each other, each with a button to copy', async () => {
    const { id } = await at.post('/domains', { name: 'telephone.example' })
    await at.page.setViewportSize(VIEW.telephone)
    await at.follow(`/domains/${id}`)
    await at.page.getByRole('button', { name: 'Copy value' }).first().waitFor()

    expect(await isTooWide()).toBe(false)
    const boxes = await at.page.evaluate<{ left: number; top: number; isWithin: boolean }[]>(
      `[...document.querySelectorAll('.records td')].slice(0, 5).map((cell) => {
        const { left, top, right } = cell.getBoundingClientRect()
        return { left: Math.round(left), top: Math.round(top), isWithin: right <= innerWidth }
      })`,
    )
    expect(new Set(boxes.map(({ left }) => left)).size).toBe(1)
    expect(
      boxes.every(({ isWithin }, index) => isWithin && (index === 0 || boxes[index]!.top > boxes[index - 1]!.top)),
    ).toBe(true)
    expect(await seriousFaults(at.page)).toEqual([])
    for (const path of ['/people', '/webhooks', '/imports']) {
      await at.follow(path)
      expect([path, await isTooWide()]).toEqual([path, false])
    }
    await at.page.setViewportSize(VIEW.wide)
    expect(at.errors).toEqual([])
  })
})
