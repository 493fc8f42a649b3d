import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { startDashboard } from '../../harness/dashboard.ts'
import { makeGate } from '../../harness/gate.ts'

describe.runIf(CHROMIUM)('an automation in the dashboard', () => {
  const at = startDashboard()
  const templates: string[] = []
  let segment: string

  beforeAll(async () => {
    await at.page.setViewportSize({ width: 1280, height: 1000 })
    for (const name of ['Welcome', 'Did you see it?']) {
      const content = { from: 'Acme <hello@example.com>', subject: name, html: '<h1>Hello {{{NAME|there}}}</h1>' }
      const { id } = await at.post('/templates', { name, ...content })
      await at.post(`/templates/${id}/publish`)
      templates.push(id)
    }
    segment = (await at.post('/segments', { name: 'Readers' })).id
    await at.post('/events', { name: 'user.created', schema: { plan: 'string', seats: 'number' } })
  })

  // An event starts runs of all automations that are enabled.
  afterEach(async () => {
    const { body } = await at.service.call('GET', '/automations')
    for (const { id } of body.data) await at.service.call('DELETE', `/automations/${id}`)
    expect(at.errors).toEqual([])
  })

  const card = (sentence: string) => at.page.locator('[data-step]', { hasText: sentence })
  const panel = () => at.page.getByRole('region', { name: 'Selected step' })
  const choose = (item: string) => at.page.getByRole('menuitem', { name: item, exact: true }).click()
  const drawnSteps = () => at.page.locator('.canvas [data-step]')

  /** What the first test draws. With a delay it also waits after its first email. */
  async function openSeries({ status, delay }: { status: 'enabled' | 'disabled'; delay?: string }): Promise<string> {
    const rules = [{ type: 'rule', field: 'event.plan', operator: 'eq', value: 'pro' }]
    const variables = { NAME: { var: 'event.plan' } }
    const steps = [
      { key: 'trigger', type: 'trigger', config: { event_name: 'user.created' } },
      { key: 'send_email_1', type: 'send_email', config: { template: { id: templates[0], variables } } },
      ...(delay ? [{ key: 'delay_1', type: 'delay', config: { duration: delay } }] : []),
      {
        ...{ key: 'wait_for_event_1', type: 'wait_for_event' },
        config: { event_name: 'resend:email.opened', timeout: '3 days' },
      },
      { key: 'condition_1', type: 'condition', config: { type: 'and', rules } },
      { key: 'add_to_segment_1', type: 'add_to_segment', config: { segment_id: segment } },
      { key: 'send_email_2', type: 'send_email', config: { template: { id: templates[1] } } },
    ]
    const connections = [
      { from: 'trigger', to: 'send_email_1' },
      ...(delay ? [{ from: 'send_email_1', to: 'delay_1' }] : []),
      { from: delay ? 'delay_1' : 'send_email_1', to: 'wait_for_event_1' },
      { from: 'wait_for_event_1', to: 'condition_1', type: 'event_received' },
      { from: 'wait_for_event_1', to: 'send_email_2', type: 'timeout' },
      { from: 'condition_1', to: 'add_to_segment_1', type: 'condition_met' },
      { from: 'send_email_2', to: 'add_to_segment_1' },
    ]
    const { id } = await at.post('/automations', { name: 'Welcome series', status, steps, connections })
    await at.follow(`/automations/${id}`)
    await card('Send ‘Welcome’').waitFor()
    return id
  }

  test('a welcome series is drawn, saved and enabled', async () => {
    await at.follow('/automations')
    await at.button('Add automation').first().click()
    await at.dialog().getByLabel('Name').fill('Welcome series')
    await at.dialog().getByLabel('Trigger event').fill('user.created')
    await at.button('Add automation', at.dialog()).click()

    await card('When user.created happens').waitFor()
    await at.button(/^Add step after “When user.created happens”/).click()
    await choose('Send email')
    await panel().getByLabel('Template', { exact: true }).selectOption('Welcome')
    await panel().getByLabel('NAME', { exact: true }).selectOption('Variable')
    await panel().getByLabel('Variable for NAME').fill('event.plan')
    await panel().frameLocator('iframe[title]').getByRole('heading', { name: 'Hello [event.plan]' }).waitFor()
    await at.button(/^Add step$/).click()
    await choose('Wait for event')
    await panel().getByLabel('Event', { exact: true }).fill('resend:email.opened')
    await at.button(/^Add step after “Wait until an email is opened.*”, received/).click()
    await choose('Condition')
    await panel().getByLabel('Field', { exact: true }).selectOption('event.plan')
    await panel().getByLabel('Value', { exact: true }).fill('pro')
    await at.button(/^Add step after “If event.plan is pro”, yes/).click()
    await choose('Add to segment')
    await panel().getByLabel('Segment', { exact: true }).selectOption('Readers')
    await at.button(/^Add step after “Wait until an email is opened.*”, timeout/).click()
    await choose('Send email')
    await panel().getByLabel('Template', { exact: true }).selectOption('Did you see it?')
    // Two branches meet: by the form, as the keyboard does it.
    await panel().getByLabel('Next step', { exact: true }).selectOption('Add to ‘Readers’')

    await at.button('Enable').click()
    await at.page.getByRole('heading', { name: 'Welcome series enabled' }).waitFor()
    const automation = at.page.url().split('/').at(-1)!
    const { body } = await at.service.call('GET', `/automations/${automation}`)
    expect(body.steps.map(({ type }: { type: string }) => type)).toEqual([
      ...['trigger', 'send_email', 'wait_for_event', 'condition', 'add_to_segment', 'send_email'],
    ])
    expect(body.connections.map((one: Record<string, string>) => `${one.from} ${one.type} ${one.to}`).sort()).toEqual(
      [
        'trigger default send_email_1',
        'send_email_1 default wait_for_event_1',
        'wait_for_event_1 event_received condition_1',
        'wait_for_event_1 timeout send_email_2',
        'condition_1 condition_met add_to_segment_1',
        'send_email_2 default add_to_segment_1',
      ].sort(),
    )
  })

  test('what is wrong is said at its step: by the browser while it is drawn, by the server when it is saved', async () => {
    await openSeries({ status: 'enabled' })
    await at.button(/^Add step between “Send ‘Welcome’”/).click()
    await choose('Delay')
    await panel().getByLabel('Delay', { exact: true }).fill('')
    await panel().getByText('Enter a duration.').waitFor()
    await panel().getByLabel('Delay', { exact: true }).fill('31 days')
    await at.page.getByText('This automation is live.').waitFor()
    await at.button('Save and re-enable').click()
    await at.button('Save and re-enable', at.dialog()).click()

    await panel()
      .locator('.form-error')
      .getByText(/duration/)
      .waitFor()
    await panel().getByLabel('Delay', { exact: true }).fill('12 days')
    await at.button('Save and re-enable').click()
    await at.button('Save and re-enable', at.dialog()).click()
    await card('Wait 1 week 5 days').waitFor()
    expect(await at.button('Save and re-enable').isDisabled()).toBe(true)
    await at.page.getByRole('heading', { name: 'Welcome series enabled' }).waitFor()
  })

  test('by keyboard: along the steps, into a form and back, and out with a step after a question', async () => {
    await openSeries({ status: 'disabled', delay: '12 days' })
    await at.page.getByRole('button', { name: /^Trigger/ }).focus()
    for (const expected of ['send_email_1', 'delay_1']) {
      await at.page.keyboard.press('ArrowDown')
      await expect.poll(() => at.page.evaluate('document.activeElement.dataset.step')).toBe(expected)
    }
    await at.page.keyboard.press('Enter')
    await expect.poll(() => at.page.evaluate('document.activeElement.value')).toBe('1 week 5 days')
    await at.page.keyboard.press('Escape')
    await expect.poll(() => at.page.evaluate('document.activeElement.dataset.step')).toBe('delay_1')
    await at.page.keyboard.press('Delete')
    await at.button('Delete step', at.dialog()).click()

    await expect.poll(() => drawnSteps().count()).toBe(6)
    await at.button('Table').click()
    await at.page.getByRole('row', { name: /Send ‘Welcome’ Send email Wait until an email is opened/ }).waitFor()
    await at.button('Enable').click()
    await at.page.getByRole('heading', { name: 'Welcome series enabled' }).waitFor()
    await at.button('Canvas').click()
    await at.page.getByRole('button', { name: /^Condition/ }).waitFor()
  })

  test('a connection is drawn with the mouse, and taken away again', async () => {
    await openSeries({ status: 'enabled' })
    const handle = at.page.locator('.step-card', { hasText: 'If event.plan' }).locator('.source', { hasText: /^no$/ })
    await handle.hover()
    await at.page.mouse.down()
    await at.page.locator('.step-card', { hasText: 'Add to ‘Readers’' }).locator('.target').hover()
    await at.page.mouse.up()

    await at.page.getByText('Unsaved changes').waitFor()
    const lines = at.button(/^Add step between “If event.plan is pro”/)
    await expect.poll(() => lines.count()).toBe(2)
    await lines.last().click()
    await choose('Remove connection')
    await expect.poll(() => lines.count()).toBe(1)
    await at.page.getByText('Unsaved changes').waitFor({ state: 'detached' })
  })

  test('a test run goes to its end and is shown on the graph', async () => {
    await openSeries({ status: 'enabled' })
    await at.button('Test').click()
    await at.dialog().getByLabel('Send emails to').fill('me@example.com')
    await at.dialog().getByLabel('Payload of user.created').fill('{"plan": "pro", "seats": 2}')
    await at.button('Run test', at.dialog()).click()

    await at.page.getByRole('heading', { name: 'Run for me@example.com completed test' }).waitFor()
    // The canvas is fetched apart from the page, and so are the names of what it shows.
    await expect
      .poll(async () => (await drawnSteps().allTextContents()).map((text) => text.trim()))
      .toEqual(
        expect.arrayContaining(['Add to segmentAdd to ‘Readers’Completed', 'Send emailSend ‘Did you see it?’Skipped']),
      )
    await at.page
      .getByRole('row', { name: /If event.plan is pro completed/ })
      .getByText('"result":true')
      .waitFor()
  })

  test('an event is sent from its page, its run waits on the list, and is cancelled', async () => {
    const automation = await openSeries({ status: 'enabled' })
    await at.follow('/events')
    await at.button('Actions for user.created').click()
    await choose('Send')
    await at.dialog().getByLabel('Contact').fill('ada@example.com')
    await at.button('Send event', at.dialog()).click()
    await at.page.getByText('Event sent', { exact: true }).waitFor()
    await at.service.stored(async () => {
      const { body } = await at.service.call('GET', '/automation-runs?email=ada@example.com')
      return body.data[0]?.waits_for === 'resend:email.opened'
    })

    await at.follow('/automation-runs?status=running')
    await at.page
      .getByRole('row', { name: /ada@example.com Welcome series running/ })
      .getByRole('link')
      .click()
    await at.button('Cancel run').click()
    await at.button('Cancel run', at.dialog()).click()
    await at.page.getByRole('heading', { name: 'Run for ada@example.com cancelled' }).waitFor()
    await at.open(`/automations/${automation}`)
    await at.page.getByText('1 entered · 1 sent').waitFor()
  })

  test('an event gets a schema', async () => {
    await at.follow('/events')
    await at.button('Add event').first().click()
    await at.dialog().getByLabel('Name', { exact: true }).fill('order.paid')
    await at.button('Add field', at.dialog()).click()
    await at.dialog().getByLabel('Name of field 1').fill('total')
    await at.dialog().getByLabel('Type of field 1').selectOption('number')
    await at.button('Add event', at.dialog()).click()

    await at.page.getByRole('row', { name: /order.paid total: number/ }).waitFor()
  })

  test('stopping says what becomes of the runs; what is written while it is saved stays, and whoever leaves it is asked', async () => {
    await openSeries({ status: 'enabled' })
    await at.button('More').click()
    await choose('Stop')
    await at.dialog().getByText('all active runs are cancelled').waitFor()
    await at.button('Stop automation', at.dialog()).click()
    await at.page.getByRole('heading', { name: 'Welcome series disabled' }).waitFor()
    const [first, second] = [makeGate(), makeGate()]
    await at.page.route('**/automations/*', async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue()
      first.open()
      await second.opened
      return route.continue()
    })
    await at.page.getByLabel('Name').fill('Saved')
    await at.button('Save').click()
    await first.opened
    await at.page.getByLabel('Name').fill('Renamed')
    second.open()
    await at.page.getByRole('heading', { name: 'Saved disabled' }).waitFor()
    await at.button('Save').and(at.page.locator(':enabled')).waitFor()
    await at.page.unroute('**/automations/*')
    expect(await at.page.getByLabel('Name').inputValue()).toBe('Renamed')

    at.page.once('dialog', (dialog) => dialog.dismiss())
    await at.page.getByRole('link', { name: 'Audience' }).click()
    expect(await at.page.getByLabel('Name').inputValue()).toBe('Renamed')
  })
})
