import { describe, expect, test } from 'vitest'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { PICTURE, startDashboard } from '../../harness/dashboard.ts'

// What is done with single emails: writing, scheduling, sending again. How people find them is in emails.test.ts.

describe.runIf(CHROMIUM)('emails in the dashboard', () => {
  const at = startDashboard()

  test('what is being written survives a reload and another page, and is gone once it is sent', async () => {
    await at.post('/emails', { from: 'a@example.com', to: 'b@example.com', subject: 'Before', text: 'Hi' })
    const compose = async () => {
      await at.follow('/emails')
      await at.button('Send email').click()
    }
    const browser = await at.page.context().newCDPSession(at.page)
    await browser.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Tokyo' })
    await compose()
    // Of the email before it only the sender is filled in.
    await at.dialog().getByLabel('To', { exact: true }).fill('delivered@resend.dev')
    await at.dialog().getByLabel('HTML').fill('<p>Half</p>')
    await at.dialog().getByLabel('Subject').fill('Half a thought')
    await at.dialog().getByLabel('When').fill('tomorrow at 9am')
    await at.page.reload()
    await at.button('Send email').click()
    expect(await at.dialog().getByLabel('Subject').inputValue()).toBe('Half a thought')
    await at.page.keyboard.press('Escape')
    await at.page.getByRole('link', { name: 'Audience' }).click()
    await compose()
    expect(await at.dialog().getByLabel('When').inputValue()).toBe('tomorrow at 9am')
    await at.button('Send', at.dialog()).last().click()
    await at.page.getByRole('heading', { name: /Half a thought scheduled/ }).waitFor()

    const { data } = (await at.service.call('GET', '/emails?status=scheduled')).body
    expect(data[0].scheduled_at).toMatch(/ 00:00:00/) // nine in the morning where the browser is
    await browser.detach()
    await compose()
    expect(await at.dialog().getByLabel('Subject').inputValue()).toBe('')
    await at.page.keyboard.press('Escape')
  })

  test('a scheduled email is rescheduled and canceled, and another one sent again and shared', async () => {
    const soon = { from: 'a@example.com', to: 'b@example.com', subject: 'Later', text: 'Hi', scheduled_at: 'in 1 hour' }
    const { id } = await at.post('/emails', soon)
    await at.follow(`/emails/${id}`)

    await at.button('Reschedule').click()
    await at.dialog().getByLabel('When').fill('never ever')
    await at.dialog().getByText('It must be a date in ISO 8601').waitFor()
    await at.dialog().getByLabel('When').fill('in 2 hours')
    await at
      .dialog()
      .getByRole('status')
      .getByText(/day, \w+ \d+, 20\d\d/)
      .waitFor()
    await at.button('Reschedule', at.dialog()).click()
    await at.page.getByText('Email rescheduled').waitFor()
    await at.button('Cancel').click()
    await at.button('Cancel email', at.dialog()).click()
    await at.page.getByRole('heading', { name: 'Later canceled' }).waitFor()
    await at.button('Send again').click()
    await at.dialog().getByText('A new email goes to b@example.com.').waitFor()
    await at.button('Cancel', at.dialog()).click()
    await at.page.getByRole('heading', { name: 'Later canceled' }).waitFor()
    await at.button('Send again').click()
    await at.button('Send again', at.dialog()).click()
    await at.page.getByRole('heading', { name: /Later delivered/ }).waitFor()
    await at.button('Share').click()
    await at.dialog().getByText('/shared?token=').waitFor()
  })

  test('a picture that came with an email is shown in it', async () => {
    const { id } = await at.post('/emails', {
      ...{ from: 'a@example.com', to: 'b@example.com', subject: 'Look', html: '<img src="cid:logo">' },
      attachments: [{ filename: 'logo.png', content_id: 'logo', content: PICTURE.toString('base64') }],
    })
    await at.follow(`/emails/${id}`)

    const picture = at.page.frameLocator('iframe[title]').locator('img[src^="data:"]')
    await expect
      .poll(() => picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(1)
    await at.page.getByRole('tab', { name: /Attachments/ }).click()
    await at.page.getByRole('link', { name: 'logo.png' }).waitFor()
  })

  test('nothing was thrown in the page all the while', () => {
    expect(at.errors).toEqual([])
  })
})
