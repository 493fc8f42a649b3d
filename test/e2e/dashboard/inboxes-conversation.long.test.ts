import { createTransport } from 'nodemailer'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { seriousFaults } from '../../harness/axe.ts'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { PICTURE, startDashboard } from '../../harness/dashboard.ts'
import { eventually } from '../../harness/service.ts'

const DESK = 'desk@example.com'

/** What a program puts on the clipboard, and a stranger might. */
const PASTED = `<meta charset="utf-8"><b style="font-weight:normal"><p style="color:red" onclick="pwned=1">Dear
<span style="font-weight:700">Ada</span><img src=x onerror="window.pwned=1"><script>window.pwned=1</script></p>
<ul><li>one</li><li><a href="javascript:pwned=1">two</a></li></ul></b>`

describe.runIf(CHROMIUM)('a conversation', () => {
  const at = startDashboard()
  let inbox: string
  let thread: string

  const text = (page: Page = at.page) => page.getByRole('textbox', { name: 'Text' })
  const saved = (page: Page = at.page) => page.getByText('Saved', { exact: true }).waitFor()
  const read = async (path: string) => (await at.service.call('GET', `/inboxes/${inbox}${path}`)).body
  const drafts = async () => (await read('/drafts')).data as { id: string; subject: string; snippet: string }[]
  const openThread = (page: Page = at.page) =>
    page.goto(`${at.service.url}/dashboard/inboxes/${inbox}?thread=${thread}`)

  beforeAll(async () => {
    const mail = createTransport({ host: '127.0.0.1', port: at.service.smtpPort, ignoreTLS: true })
    await at.post('/domains', { name: 'example.com' })
    inbox = (await at.post('/inboxes', { email_address: DESK, name: 'Desk', from_name: 'Acme Desk' })).id
    const from = 'Ada Lovelace <ada@elsewhere.example>'
    const first = { from, to: DESK, subject: 'The engine', messageId: '<one@elsewhere.example>' }
    await mail.sendMail({ ...first, text: 'Where is it?' })
    await mail.sendMail({
      ...{ ...first, messageId: '<two@elsewhere.example>', references: '<one@elsewhere.example>' },
      ...{ subject: 'Re: The engine', cc: 'Charles <charles@elsewhere.example>' },
      html: '<p>Any <b>news</b>?</p><script>parent.pwned = 1</script><div class="gmail_quote"><p>Where is it?</p></div>',
      attachments: [{ filename: 'plan.png', content: PICTURE }],
    })
    await at.service.stored(async () => {
      thread = (await read('/threads')).data[0]?.id
      return (await read(`/threads/${thread}/emails`)).data?.length === 2
    })
    await openThread()
  })

  test('shows its emails in frames that may do nothing, as high as they are, with what is quoted folded', async () => {
    const frame = at.page.locator('.message iframe')
    await at.page.frameLocator('.message iframe').getByText('Any news?').waitFor()

    expect(await frame.getAttribute('sandbox')).toBe('allow-popups allow-popups-to-escape-sandbox')
    await eventually(async () => (await frame.boundingBox())!.height < 100)
    // The one that has measured it is gone.
    await eventually(async () => (await at.page.locator('iframe').count()) === 1)
    expect(await at.page.frameLocator('.message iframe').getByText('Where is it?').count()).toBe(0)
    await at.button('Show quoted text').click()
    await at.page.frameLocator('.message iframe').getByText('Where is it?').waitFor()
    await at.button('View plan.png').click()
    await at.dialog().getByRole('img', { name: 'plan.png' }).waitFor()
    await at.page.keyboard.press('Escape')
    expect(await seriousFaults(at.page)).toEqual([])
    expect(await at.page.evaluate('window.pwned')).toBeUndefined()
  })

  test('is answered in rich text that undo takes back, and of what is pasted nothing is left but words', async () => {
    await at.page.keyboard.press('a')
    // It is there before the cursor is in it.
    await text().and(at.page.locator(':focus')).waitFor()
    await at.page.keyboard.type('Hello ')
    await at.page.keyboard.press('Control+b')
    await at.page.keyboard.type('there')
    await at.page.evaluate((html) => {
      const { DataTransfer, ClipboardEvent, document } = globalThis as never as Browser
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/html', html)
      const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
      document.activeElement.dispatchEvent(paste)
    }, PASTED)
    await text().getByText('two').waitFor()
    expect(await text().locator('[onclick], [style], img, script, a').count()).toBe(0)
    await at.page.keyboard.press('Control+z')
    expect(await text().getByText('two').count()).toBe(0)
    await saved()
    expect(await at.page.evaluate('window.pwned')).toBeUndefined()

    await at.page
      .locator('input[type=file]')
      .setInputFiles([{ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('notes') }])
    await at.button('Remove notes.txt').waitFor()
    expect(await seriousFaults(at.page)).toEqual([])
    await text().press('Control+Enter')
    await at.page.locator('.toast', { hasText: 'Email sent' }).waitFor()
    // It waits for somebody to undo it: not here.
    const [sending] = await drafts()
    await at.post(`/inboxes/${inbox}/drafts/${sending!.id}/send`, {})
    await at.page.getByRole('article', { name: 'Email from Acme Desk' }).waitFor()
    await text().waitFor({ state: 'detached' })

    const { data: emails } = await read(`/threads/${thread}/emails`)
    expect(emails).toHaveLength(3)
    expect(emails[2]).toMatchObject({
      ...{ direction: 'outbound', subject: 'Re: The engine', from: 'Acme Desk <desk@example.com>' },
      ...{ to: ['Ada Lovelace <ada@elsewhere.example>'], cc: ['Charles <charles@elsewhere.example>'] },
      html: expect.stringMatching(/^<p>Hello <b>there<\/b><\/p>.*Any <b>news/s),
      text: expect.stringMatching(/^Hello there\n.*> Any news\?/s),
      attachments: [{ filename: 'notes.txt' }],
    })
    expect(await drafts()).toEqual([])
  })

  test('loses no text to two tabs, a broken connection, or a tab that is closed', async () => {
    const context = at.page.context()
    await at.page.keyboard.press('c')
    await at.page.getByRole('combobox', { name: 'To' }).fill('charles@elsewhere.example,')
    await at.page.getByRole('textbox', { name: 'Subject' }).fill('Plans')
    await text().fill('Dear Charles')
    await saved()
    const other = await context.newPage()
    await other.goto(`${at.service.url}/dashboard/inboxes/${inbox}?folder=drafts`)
    await other.getByRole('button', { name: /Plans/ }).click()
    await text(other).getByText('Dear Charles').waitFor()

    await context.setOffline(true)
    await text().fill('Mine')
    await text(other).fill('Theirs')
    await Promise.all([at.page, other].map((page) => page.getByText('No connection').waitFor()))
    await context.setOffline(false)
    const asked = await Promise.any(
      [at.page, other].map(async (page) => {
        await page.getByRole('button', { name: 'Keep both' }).waitFor()
        return page
      }),
    )
    await asked.getByRole('button', { name: 'Keep both' }).click()
    const [draft] = await drafts()
    const words = async () => (await read(`/drafts/${draft!.id}`)).text as string
    await eventually(async () => /Mine/.test(await words()) && /Theirs/.test(await words()))

    await eventually(async () => (await text().textContent()) === (await text(other).textContent()))
    await context.setOffline(true)
    await text(other).fill('The last words')
    await other.close()
    // Otherwise the page that is about to be left may still find it, save it and say so, where nobody sees it.
    await at.page.goto('about:blank')
    await context.setOffline(false)
    await openThread()
    await at.page.getByText('Unsaved draft recovered').waitFor()
    await eventually(async () => (await words()) === 'The last words')
    expect(at.errors).toEqual([])
  })
})

interface Browser {
  readonly DataTransfer: new () => { setData(type: string, data: string): void }
  readonly ClipboardEvent: new (type: string, init: object) => unknown
  readonly document: { readonly activeElement: { dispatchEvent(event: unknown): void } }
}
