import { createTransport } from 'nodemailer'
import { describe, expect, test } from 'vitest'
import { seriousFaults } from '../../harness/axe.ts'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { PICTURE, startDashboard } from '../../harness/dashboard.ts'
import { startFileServer } from '../../harness/file-server.ts'
import { startReceiver } from '../../harness/receiver.ts'

/** What is seen before a broadcast is sent. */
const REVIEWED = {
  From: 'News <news@example.com>',
  Subject: 'News for {{{FIRST_NAME|you}}}',
  Segment: 'Readers',
  Recipients: '2 recipients',
  Skipped: '1 unsubscribed',
}

describe.runIf(CHROMIUM)('in the dashboard', () => {
  const at = startDashboard()

  describe('the inbox', () => {
    test('shows mail as it comes in, without a reload', async () => {
      await at.follow('/received')
      await at.page.getByText('No received emails yet').waitFor()

      await createTransport({ host: '127.0.0.1', port: at.service.smtpPort, ignoreTLS: true }).sendMail({
        from: 'Ada <ada@elsewhere.example>',
        to: 'desk@inbox.example',
        subject: 'A question',
        html: '<h1>Hello desk</h1><img src="cid:logo"><img src="http://127.0.0.1:1/spy.png">',
        text: 'Hello desk, in plain words',
        attachments: [
          { filename: 'logo.png', cid: 'logo', content: PICTURE },
          { filename: 'notes.txt', content: 'some notes' },
        ],
      })

      await at.page.getByRole('link', { name: /ada@elsewhere.example/ }).click()
      await at.page.getByRole('heading', { name: 'A question' }).waitFor()
      await at.page.frameLocator('iframe[title]').getByRole('heading', { name: 'Hello desk' }).waitFor()
    })

    test('shows inline pictures, text, headers, checks, the source and what was attached', async () => {
      const inline = at.page.frameLocator('iframe[title]').locator('img').first()
      await expect.poll(() => inline.getAttribute('src')).toMatch(/^data:image\/png;base64,/)
      await at.page.getByText('Remote images are blocked').waitFor()
      await at.button('Mobile').click()
      expect((await at.page.locator('iframe[title]').boundingBox())!.width).toBeLessThan(420)
      await at.page.getByRole('tab', { name: 'Text' }).click()
      await at.page.getByText('Hello desk, in plain words').waitFor()
      await at.page.getByRole('tab', { name: 'Headers' }).click()
      await at.page.getByText('mime-version', { exact: false }).first().waitFor()
      await at.page.getByRole('tab', { name: 'Source' }).click()
      await at.page.getByText('Subject: A question').waitFor()
      await at.page.locator('.card', { hasText: 'Authentication' }).getByText('DMARC').waitFor()
      await at.page.getByRole('tab', { name: /Attachments/ }).click()
      const [file] = await Promise.all([
        at.page.waitForEvent('download'),
        at.page.getByRole('link', { name: 'notes.txt' }).click(),
      ])
      expect(file.suggestedFilename()).toBe('notes.txt')
    })
  })

  describe('a webhook', () => {
    test('is added with its events, and its log shows what was told, each attempt, and replays it', async () => {
      const receiver = await startReceiver()
      receiver.fail()
      await at.follow('/webhooks')
      await at.button('Add webhook').first().click()
      await at.dialog().getByLabel('Endpoint').fill(`${receiver.url}/hook`)
      await at.dialog().getByLabel('All topic events').check()
      await at.button('Add webhook', at.dialog()).click()
      await at.page.getByText('No deliveries yet').waitFor()

      await at.post('/topics', { name: 'Told' })
      await at.page
        .getByRole('row', { name: /topic\.created/ })
        .getByRole('button')
        .click()
      // The second attempt is made after five seconds, whether or not somebody looks; and numbers may stand in ids and times.
      await at.dialog().getByText('500', { exact: true }).first().waitFor()
      await at.dialog().getByText('"name": "Told"').waitFor()
      await at.page.keyboard.press('Escape')
      await at.page
        .getByRole('heading', { name: /failing/ })
        .first()
        .waitFor()
      await at.page.getByText(/The last event failed\. Last response: 500/).waitFor()
      await at.page.getByText(/Next: attempt [23] of 8/).waitFor()
      await at.page.getByRole('row', { name: /topic\.created failing Next attempt in/ }).waitFor()
      await at.page.getByRole('link', { name: 'Webhooks' }).click()
      await at.page.getByRole('row', { name: /failing 500 1 of 1 failed · attempt \d of 8/ }).waitFor()
      await at.page.goBack()
      await at.page
        .getByRole('row', { name: /topic\.created/ })
        .getByRole('button')
        .click()
      receiver.succeed()
      await at.button('Replay', at.dialog()).click()
      await at.dialog().getByText('200', { exact: true }).first().waitFor()

      expect(new Set(receiver.at('/hook').map(({ id }) => id)).size).toBe(1)
      expect(receiver.received.length).toBeGreaterThan(1)
      await at.page.reload()
      await at.dialog().getByText('thanks').first().waitFor()
      await at.button('Close', at.dialog()).click()
    })

    test('changes its events and its state, and shows its secret when it is asked for', async () => {
      await at.page.getByLabel('contact.created').check()
      await at.button('Save').click()
      await at.page.getByText('Saved').waitFor()
      await at.button('Show secret').click()
      const secret = await at.page.getByText(/^whsec_/).textContent()
      await at.button('Rotate').click()
      await at.button('Rotate secret', at.dialog()).click()
      await at.page.getByText('Signing secret rotated').waitFor()
      await at.page.getByText(secret!).waitFor({ state: 'detached' })
      await at.button('Disable').click()
      await at.button('Disable webhook', at.dialog()).click()
      await at.page.getByRole('heading', { name: /hook disabled/, level: 1 }).waitFor()

      const [webhook] = (await at.service.call('GET', '/webhooks')).body.data
      expect(webhook).toMatchObject({
        status: 'disabled',
        events: expect.arrayContaining(['contact.created', 'topic.updated']),
      })
    })
  })

  describe('a broadcast', () => {
    test('is written, looked at with the eyes of a contact, tried out, sent, and followed to its end', async () => {
      const segment = await at.post('/segments', { name: 'Readers' })
      for (const [email, first_name] of [
        ['ada@example.com', 'Ada'],
        ['bob@example.com', undefined],
      ] as const)
        await at.post('/contacts', { email, first_name, segments: [{ id: segment.id }] })
      const gone = { email: 'gone@example.com', unsubscribed: true, segments: [{ id: segment.id }] }
      await at.post('/contacts', gone)
      await at.follow('/broadcasts')
      await at.button('Create broadcast').first().click()
      await at.dialog().getByLabel('Name').fill('October')
      expect(await at.dialog().getByLabel('Segment').inputValue()).toBe('')
      await at.dialog().getByLabel('Segment').selectOption('Readers')
      await at.dialog().getByLabel('From').fill('News <news@example.com>')
      await at.dialog().getByLabel('Subject').fill('News for {{{FIRST_NAME|you}}}')
      await at.button('Continue').click()

      const frame = at.page.frameLocator('iframe[title]')
      await at.page.getByLabel('Preview as').fill('ada@example.com')
      await frame.getByRole('heading', { name: 'Hello Ada' }).waitFor()
      await at.button('HTML').click()
      await at.page.getByRole('textbox', { name: 'HTML' }).fill('<h2>Good day {{{FIRST_NAME|reader}}}</h2>')
      await frame.getByRole('heading', { name: 'Good day Ada' }).waitFor()
      await at.page.getByLabel('Preview as').fill('bob@example.com')
      await frame.getByRole('heading', { name: 'Good day reader' }).waitFor()
      await at.button('Review and send…').click()
      await at.dialog().getByLabel('Send test to').fill('me@example.com')
      await at.button('Send test', at.dialog()).click()
      await at.button('View email', at.dialog()).waitFor()
      for (const [name, fact] of Object.entries(REVIEWED))
        await at.dialog().locator('.facts > div', { hasText: name }).getByText(fact, { exact: true }).waitFor()
      expect(await at.button('Send to 2 recipients', at.dialog()).isDisabled()).toBe(true)
      await at.dialog().getByLabel('Now').check()
      await at.button('Send to 2 recipients', at.dialog()).click()

      await at.page.getByRole('heading', { name: 'October sent' }).waitFor()
      await at.page.getByText('2 of 2 sent').waitFor()
      await at.page.getByText('Skipped: 1 unsubscribed').waitFor()
      await at.page.getByRole('row', { name: 'ada@example.com' }).waitFor()
      const { data: emails } = (await at.service.call('GET', '/emails')).body
      const subjects = emails.map(({ subject }: { subject: string }) => subject).toSorted()
      expect(subjects).toEqual(['News for Ada', 'News for you', '[Test] News for you'])
    })

    test('waits for its time, is a draft again when it is canceled, and can be copied', async () => {
      await at.button('Duplicate').click()
      await at.page.getByRole('heading', { name: /October.* draft/ }).waitFor()
      await at.button('Review and send…').click()
      await at.dialog().getByLabel('Later').check()
      await at.dialog().getByLabel('At', { exact: true }).fill('in 2 hours')
      await at
        .dialog()
        .getByRole('status')
        .getByText(/day, \w+ \d+, 20\d\d/)
        .waitFor()
      await at.button('Schedule', at.dialog()).click()
      await at.page.getByRole('heading', { name: /scheduled/ }).waitFor()

      await at.button('Cancel').click()
      await at.button('Cancel broadcast', at.dialog()).click()

      await at.page.getByRole('heading', { name: /draft/ }).waitFor()
    })
  })

  test('a broadcast to an empty segment says so, and cannot be sent now', async () => {
    const segment = await at.post('/segments', { name: 'Nobody yet' })
    const { id } = await at.post('/broadcasts', {
      ...{ segment_id: segment.id, name: 'Alone', from: 'news@example.com', subject: 'News', html: '<p>Hi</p>' },
    })
    await at.follow(`/broadcasts/${id}`)
    await at.button('Review and send…').click()

    await at.dialog().getByText('This segment has no contacts.').waitFor()
    expect(await at.dialog().getByLabel('Now').isDisabled()).toBe(true)
    await at.page.keyboard.press('Escape')
  })

  describe('the checks of a mail', () => {
    test('are told with their lines, on any screen and by day and night; servers are asked on demand', async () => {
      await at.follow('/received')
      await at.page.getByRole('link', { name: /ada@elsewhere.example/ }).click()
      await at.page.getByRole('tab', { name: 'Checks' }).click()
      await at.page.getByRole('region', { name: 'Images' }).getByText('An image is not encrypted (http)').waitFor()
      const pages = await startFileServer((_request, response) => response.writeHead(404).end())
      const html = `<p style="display:grid">\n<a href="${pages.url}/gone">x</a><i>${'long'.repeat(100)}</i>`
      const { id } = await at.post('/emails', { from: 'a@example.com', to: 'b@example.com', subject: 'Checked', html })
      await at.follow(`/emails/${id}`)
      await at.page.getByRole('tab', { name: 'Checks' }).click()

      const group = (name: string) => at.page.getByRole('region', { name })
      const grid = group('Mail clients').getByRole('listitem').filter({ hasText: 'display:grid is not' })
      await grid.getByText('line 1').waitFor()
      await grid.locator('summary').click()
      await grid.getByText('Outlook, Windows 2007–2019').waitFor()
      await at.page.getByText(/^\d+ minor findings?$/).click()
      await at.page.getByText('No color-scheme declaration').waitFor()
      await at.page.getByText(/^\d passed$/).click()
      await at.page.getByText('Not clipped by Gmail').waitFor()
      await at.button('Check links, images and DMARC').click()
      await group('Links').getByText('A link is broken: not found').waitFor()
      expect(pages.requests).toEqual(['/gone', '/gone'])

      await at.page.setViewportSize({ width: 390, height: 800 })
      expect(await at.page.evaluate('document.documentElement.scrollWidth')).toBe(390)
      for (const colorScheme of ['dark', 'light'] as const) {
        await at.page.emulateMedia({ colorScheme })
        expect(await seriousFaults(at.page)).toEqual([])
      }
      await at.page.setViewportSize({ width: 1280, height: 720 })
    })
  })

  test('the tab Text of an email that was sent with HTML alone shows the generated text', async () => {
    const email = { from: 'a@example.com', to: 'ada@example.com', subject: 'HTML alone', html: '<h1>Only in tags</h1>' }
    const { id } = await at.post('/emails', email)
    const { id: later } = await at.post('/emails', { ...email, subject: 'Later', scheduled_at: 'in 1 hour' })

    await at.follow(`/emails/${id}`)
    await at.page.getByRole('heading', { name: 'HTML alone delivered' }).waitFor()
    await at.page.getByRole('tab', { name: 'Text' }).click()
    const text = await at.page.getByLabel('Text of the email').textContent()
    expect(text).toContain((await at.service.call('GET', `/messages/${id}`)).body.text.trim())
    expect(text).not.toContain('<h1>')

    await at.follow(`/emails/${later}`)
    await at.page.getByRole('heading', { name: 'Later scheduled' }).waitFor()
    await at.page.getByRole('tab', { name: 'Text' }).click()
    await at.page.getByLabel('Text of the email').getByText('Only in tags').waitFor()
  })

  test('nothing was thrown in the page all the while', () => {
    expect(at.errors).toEqual([])
  })
})
