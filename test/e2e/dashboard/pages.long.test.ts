import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { startDashboard } from '../../harness/dashboard.ts'
import { makeGate } from '../../harness/gate.ts'

describe.runIf(CHROMIUM)('in the dashboard', () => {
  const at = startDashboard()

  test('a domain is added, its records can be copied, and verifying it shows that somebody looks', async () => {
    await at.follow('/domains')
    await at.button('Add domain').first().click()
    await at.dialog().getByLabel('Name').fill('example.com')
    await at.button('Add domain', at.dialog()).click()

    await at.page.getByRole('row', { name: /DKIM TXT/ }).waitFor()
    // It says so for a moment only.
    await Promise.all([at.button('Copied').waitFor(), at.button('Copy value').first().click()])
    await at.button('Verify').click()
    await at.button('Verifying…').waitFor()
    await at.button('Enable receiving').click()
    await at.page.getByRole('row', { name: /Receiving MX/ }).waitFor()
  })

  test('a template is written with a live preview, and published', async () => {
    await at.follow('/templates')
    await at.button('Add template').first().click()
    await at.dialog().getByLabel('Name').fill('Welcome')
    await at.button('Add template', at.dialog()).click()
    await at.page.getByText('More settings').click()
    await at.button('Declare NAME').click()
    await at.page.getByLabel('Value of NAME in the preview').fill('Ada')

    await at.page.frameLocator('iframe[title]').getByRole('heading', { name: 'Hello Ada' }).waitFor()
    await at.button('Publish').click()
    await at.page.getByText('Published', { exact: true }).waitFor()
    await at.page.getByRole('heading', { name: 'Welcome published' }).waitFor()
    expect(await at.page.getByLabel('Value of NAME in the preview').inputValue()).toBe('Ada')
  })

  test('an earlier version of a template is looked at and taken up again', async () => {
    await at.button('HTML').click()
    await at.page.getByRole('textbox', { name: 'HTML' }).fill('<h1 data-note="x">Good morning</h1>')
    // What it was before was published, too, and its page looks the same until this is saved.
    await Promise.all([at.page.waitForResponse(/\/publish$/), at.button('Publish').click()])
    await at.page.frameLocator('iframe[title]').getByRole('heading', { name: 'Good morning' }).waitFor()
    await at.page.getByRole('heading', { name: 'Welcome published', exact: true }).waitFor()
    await at.page.getByRole('button', { name: 'More', exact: true }).click()
    await at.page.getByRole('menuitem', { name: 'Published versions' }).click()

    await at.dialog().getByRole('listitem').nth(1).getByRole('button').click()
    await at.dialog().frameLocator('iframe[title]').getByText('Hello').waitFor()
    await at.button('Restore version').click()

    await at.page.getByText('unpublished changes').waitFor()
    await expect.poll(() => at.page.getByRole('textbox', { name: 'HTML' }).textContent()).toContain('Hello {{{NAME')
  })

  test('what was changed is saved when its page is left, and not left without a question when that fails', async () => {
    const { id } = await at.post('/templates', { name: 'Left', html: '<p>Hi</p>' })
    await at.follow(`/templates/${id}`)
    await at.page.getByLabel('Subject').fill('Saved on leaving')
    await at.page.getByRole('link', { name: 'Audience' }).click()
    await at.page.getByRole('heading', { name: 'Contacts', exact: true }).waitFor()
    expect((await at.service.call('GET', `/templates/${id}`)).body).toMatchObject({ subject: 'Saved on leaving' })

    const asked: string[] = []
    at.page.on('dialog', (dialog) => {
      asked.push(dialog.message())
      return asked.length === 1 ? dialog.dismiss() : dialog.accept()
    })
    await at.follow(`/templates/${id}`)
    await at.page.route(`**/templates/${id}`, (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.fallback(),
    )
    await at.page.getByLabel('Subject').fill('Unsaved')
    await at.page.getByText('Not saved: The service does not respond').waitFor()

    await at.page.getByRole('link', { name: 'Audience' }).click()
    await expect.poll(() => asked).toHaveLength(1)
    expect(await at.page.getByLabel('Subject').inputValue()).toBe('Unsaved')
    await at.page.getByRole('link', { name: 'Audience' }).click()

    await at.page.getByRole('heading', { name: 'Contacts', exact: true }).waitFor()
    expect(asked).toHaveLength(2)
    at.page.removeAllListeners('dialog')
    await at.page.unroute(`**/templates/${id}`)
  })

  test('a file is imported into a segment, with its columns named by hand', async () => {
    await at.follow('/segments')
    await at.button('Add segment').first().click()
    await at.dialog().getByLabel('Name').fill('Readers')
    await at.button('Add segment', at.dialog()).click()
    await at.page.getByRole('link', { name: 'Readers' }).waitFor()
    await at.follow('/imports')
    await at.button('Import file').click()
    const csv = 'Mail,Given name,Plan\nada@example.com,Ada,pro\nbob@example.com,Bob,free\n'
    const file = { name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) }
    await at.page.getByLabel('CSV file').setInputFiles(file)
    await at.dialog().getByLabel('Mail', { exact: true }).selectOption('Email')
    await at.dialog().getByLabel('Plan', { exact: true }).selectOption('plan (text)')
    await at.dialog().getByLabel('Add to segment').selectOption('Readers')
    await at.button('Import', at.dialog()).click()

    const done = at.page.getByRole('row').filter({ hasText: /completed2 rows2/ })
    await done.waitFor()
    await at.follow('/contacts/ada@example.com')
    await expect.poll(() => at.page.getByLabel('plan').inputValue()).toBe('pro')
    await at.page.getByText('Readers').first().waitFor()
  })

  test.each([
    { path: '/topics', add: 'Add topic', fields: { Name: 'News' }, row: /News/ },
    { path: '/properties', add: 'Add property', fields: { Key: 'city' }, row: /city String/ },
    { path: '/contacts', add: 'Add contact', fields: { Email: 'eve@example.com' }, heading: /eve@example.com/ },
    {
      path: '/suppressions',
      add: 'Add suppression',
      fields: { Email: 'no@example.com' },
      row: /no@example.com manual/,
    },
  ])('$path: one is added', async ({ path, add, fields, row, heading }) => {
    await at.follow(path)
    await at.button(add).first().click()
    for (const [label, value] of Object.entries(fields))
      await at.dialog().getByLabel(label, { exact: true }).fill(value!)
    await at.button(add, at.dialog()).click()

    if (row) await at.page.getByRole('row', { name: row }).waitFor()
    else await at.page.getByRole('heading', { name: heading! }).waitFor()
  })

  test('what is added while the list is still being read is on it', async () => {
    const gate = makeGate()
    await at.page.route(
      '**/contact-properties?*',
      async (route) => {
        const response = await route.fetch()
        await gate.opened
        await route.fulfill({ response })
      },
      { times: 1 },
    )
    await at.open('/properties')
    await at.button('Add property').first().click()
    await at.dialog().getByLabel('Key', { exact: true }).fill('late')
    const isAdded = at.page.waitForResponse((answer) => answer.request().method() === 'POST')
    await at.button('Add property', at.dialog()).click()
    await isAdded
    gate.open()

    await at.page.getByRole('row', { name: /late String/ }).waitFor()
  })

  test('what a contact wants to hear about is ticked, stays ticked, and is saved', async () => {
    await at.follow('/contacts/ada@example.com')
    await at.page.getByLabel('News').check()
    await at.page.getByLabel('News').and(at.page.locator(':enabled')).waitFor()

    expect(await at.page.getByLabel('News').isChecked()).toBe(true)
    const { body } = await at.service.call('GET', '/contacts/ada@example.com/topics')
    expect(body.data).toMatchObject([{ name: 'News', subscription: 'opt_in' }])
  })

  test('a suppression is removed again, after a question', async () => {
    await at.follow('/suppressions')
    await at.button('Actions for no@example.com').click()
    await at.page.getByRole('menuitem', { name: 'Remove' }).click()
    await at.button('Remove suppression', at.dialog()).click()

    await at.page.getByText('No suppressions yet').waitFor()
  })

  test('a form says what is wrong with it: the browser before it is sent, the server after', async () => {
    await at.follow('/properties')
    await at.button('Add property').first().click()
    await at.dialog().getByLabel('Key').fill('not a key!')
    await at.button('Add property', at.dialog()).click()
    expect(await at.page.locator('input:invalid').getAttribute('name')).toBe('key')

    await at.dialog().getByLabel('Key').fill('city')
    await at.button('Add property', at.dialog()).click()
    await at.dialog().getByRole('alert').waitFor()
    await at.dialog().getByLabel('Key').fill('age')
    await at.dialog().getByLabel('Type').selectOption('number')
    await at.dialog().getByLabel('Fallback').fill('21')
    await at.button('Add property', at.dialog()).click()
    await at.page.getByRole('row', { name: /age Number 21/ }).waitFor()
  })

  test('a key is shown once, and works', async () => {
    await at.follow('/api-keys')
    await at.button('Create API key').first().click()
    await at.dialog().getByLabel('Name').fill('web shop')
    await at.button('Create API key', at.dialog()).click()
    const token = await at.dialog().locator('code').textContent()
    await at.button('Close', at.dialog()).click()
    await at.dialog().waitFor({ state: 'detached' })

    expect((await at.service.call('GET', '/topics', undefined, token!)).status).toBe(200)
    expect(await at.page.content()).not.toContain(token!)
    await at.page.getByRole('row', { name: /web shop/ }).waitFor()
  })

  test('a key tells how its token ends, when it expires and how much it was used', async () => {
    const made = await at.service.call('POST', '/api-keys', { name: 'cron', expires_at: 'in 90 days' })
    const { token } = made.body
    await at.service.call('GET', '/topics', undefined, token)
    await at.open('/api-keys')

    const row = at.page.getByRole('row', { name: /cron/ })
    await row.getByText(`re_…${token.slice(-4)}`).waitFor()
    await row.getByRole('link', { name: 'cron' }).click()

    await at.page.getByText('1 request in the last 30 days.').waitFor()
    await at.page.getByRole('figure').filter({ hasText: 'Requests by day' }).waitFor()
  })

  test('logs show what a program did, metrics what became of it, settings what runs', async () => {
    await at.post('/contacts', { email: 'nonsense' })
    await at.post('/emails', {
      from: 'a@example.com',
      to: ['b@example.com', 'c@example.com'],
      subject: 'x',
      text: 'Hi',
    })
    // Logs are written in batches after the answer.
    const refused = async () => {
      const { data } = (await at.service.call('GET', '/logs')).body as { data: Record<string, unknown>[] }
      return data.find(({ endpoint, response_status }) => endpoint === '/contacts' && response_status === 422)?.id
    }
    // Each look is logged, too: twenty of them would fill the page.
    await expect.poll(refused, { interval: 500 }).toBeDefined()
    await at.follow('/logs')
    await at.page
      .locator(`a[href$="${await refused()}"]`)
      .first()
      .click()
    await at.page.getByText('needs to follow').waitFor()
    await at.follow('/metrics')
    await at.page.locator('.figures').getByText('1', { exact: true }).first().waitFor()
    await at.page.locator('.chart').first().waitFor()
    await at.follow('/settings')
    await at.page.getByText('Embedded PostgreSQL').waitFor()
  })

  test('the audit log says who changed what, leads to it, and can be kept as a file', async () => {
    const { id } = await at.post('/webhooks', { endpoint: 'https://example.com/audited', events: ['email.sent'] })
    await at.follow('/audit')
    const row = at.page.getByRole('row', { name: /Create a webhook/ }).first()
    await row.getByRole('link', { name: 'log' }).waitFor()
    await at.button('Filters').click()
    await at.page.getByRole('combobox', { name: 'Action', exact: true }).selectOption('Create a webhook')
    await at.page.keyboard.press('Escape')
    await at.page.waitForURL(/action=webhooks\.create/)
    const [file] = await Promise.all([at.page.waitForEvent('download'), at.button('Export CSV').click()])
    await row.getByRole('link', { name: 'Create a webhook' }).click()

    expect(file.suggestedFilename()).toBe('audit-log.csv')
    expect(await readFile((await file.path())!, 'utf8')).toContain(`webhooks.create,${id},`)
    await at.page.waitForURL(`**/webhooks/${id}`)
  })

  test('nothing was thrown in the page all the while', () => {
    expect(at.errors).toEqual([])
  })
})
