import { createTransport, type Transporter } from 'nodemailer'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { seriousFaults } from '../../harness/axe.ts'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { startDashboard } from '../../harness/dashboard.ts'
import { eventually } from '../../harness/service.ts'

const ADDRESS = 'support@example.com'
const SOON = { timeout: 20_000 }

/** One thread each, the oldest first. */
const THREADS = [
  { subject: 'Where is my parcel?', from: 'Ada Lovelace <ada@elsewhere.example>' },
  { subject: 'An invoice', from: 'Grace Hopper <grace@elsewhere.example>' },
  { subject: 'A question', from: 'Alan Turing <alan@elsewhere.example>' },
]

describe.runIf(CHROMIUM)('in the mail client', () => {
  const at = startDashboard()
  let mail: Transporter

  const send = (from: string, subject: string, to = ADDRESS, text = `About ${subject}`) =>
    mail.sendMail({ from, to, subject, text })
  const row = (subject: string) => at.page.locator('.thread-row', { hasText: subject })
  const pressed = async (...keys: readonly string[]) => {
    for (const key of keys) await at.page.keyboard.press(key)
  }
  const threadOf = async (subject: string, folder: string) => {
    const { body } = await at.service.call('GET', `/inboxes/${ADDRESS}/threads?folders=${folder}`)
    return (body.data as { id: string; subject: string; labels: { name: string }[]; read: boolean }[]).find(
      (thread) => thread.subject === subject,
    )
  }

  beforeAll(async () => {
    mail = createTransport({ host: '127.0.0.1', port: at.service.smtpPort, ignoreTLS: true })
    await at.post('/domains', { name: 'example.com' })
  })

  // Under the mouse the menu is wide, and covers the mailboxes.
  beforeEach(async () => {
    await at.page.setViewportSize({ width: 1280, height: 860 })
    await at.page.mouse.move(1270, 850)
  })

  // Unread threads are counted over all inboxes.
  afterEach(async () => {
    const { body } = await at.service.call('GET', '/inboxes')
    for (const { id } of body.data) await at.service.call('DELETE', `/inboxes/${id}`)
    expect(at.errors).toEqual([])
  })

  const addInbox = async () => (await at.post('/inboxes', { email_address: ADDRESS, name: 'Support' })).id
  const isFiled = (id: string, threads: number) =>
    at.service.stored(async () => (await at.service.call('GET', `/inboxes/${id}`)).body.unread === threads)

  async function openInbox() {
    const id = await addInbox()
    await at.follow(`/inboxes/${id}`)
    await at.page.getByText('No email yet').waitFor()
  }

  async function addInboxWithThreads() {
    const id = await addInbox()
    for (const { from, subject } of THREADS) await send(from, subject)
    await isFiled(id, THREADS.length)
    return id
  }

  async function openInboxWithThreads() {
    await at.follow(`/inboxes/${await addInboxWithThreads()}`)
    for (const { subject } of THREADS) await row(subject).waitFor()
  }

  test('an inbox is made, and says how its first mail gets there', async () => {
    await at.open('/inboxes')
    await at.page.getByText('No inboxes yet').waitFor()
    await at.button('Add inbox').first().click()
    await at.dialog().getByLabel('Address', { exact: true }).fill(ADDRESS)
    await at.dialog().getByLabel('Name', { exact: true }).fill('Support')
    await at.button('Add inbox', at.dialog()).click()

    await at.page.getByText('No email yet').waitFor()
    await at.page.getByText('swaks').waitFor()
    expect(at.page.url()).toMatch(/inboxes\/[^?]+/)
  })

  test('mail appears by itself, and what is unread is counted in the title and in the menu', async () => {
    await openInbox()
    await send('Ada Lovelace <ada@elsewhere.example>', 'Where is my parcel?')

    await row('Where is my parcel?').getByText('Ada Lovelace').waitFor()
    await expect.poll(() => at.page.title(), SOON).toBe('(1) Inbox · Support · Postwren')
    await at.page.getByRole('link', { name: 'Inboxes 1 unread' }).waitFor()
    expect(await row('Where is my parcel?').getAttribute('class')).toContain('unread')
  })

  test('a thread is opened by keys, and is read then', async () => {
    await openInboxWithThreads()

    await pressed('j', 'Enter')

    await at.page.getByRole('heading', { name: 'A question' }).waitFor()
    await expect.poll(() => at.page.title(), SOON).toMatch(/^\(2\)/)
    expect(at.page.url()).toContain('thread=')
    await expect.poll(async () => (await threadOf('A question', 'inbox'))?.read, SOON).toBe(true)
    await pressed('j')
    await at.page.getByRole('heading', { name: 'An invoice' }).waitFor()
    await expect.poll(() => at.page.title(), SOON).toMatch(/^\(1\)/)
  })

  test('a move is seen at once, the next thread is opened, and Undo brings it back', async () => {
    await openInboxWithThreads()
    await row('An invoice').click()
    await at.page.getByRole('heading', { name: 'An invoice' }).waitFor()
    await pressed('e')

    await row('An invoice').waitFor({ state: 'detached' })
    await at.page.getByRole('heading', { name: 'Where is my parcel?' }).waitFor()
    await expect.poll(async () => (await threadOf('An invoice', 'archive')) !== undefined, SOON).toBe(true)
    await at.button('Undo').click()
    await row('An invoice').waitFor()
    await expect.poll(async () => (await threadOf('An invoice', 'inbox')) !== undefined, SOON).toBe(true)
    await expect.poll(async () => (await threadOf('Where is my parcel?', 'inbox'))?.read, SOON).toBe(true)
  })

  test('a move that is refused is taken back, and the reason is said', async () => {
    await openInboxWithThreads()
    await at.page.route('**/threads/*', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 422, json: { name: 'validation_error', message: 'Not today.' } })
        : route.continue(),
    )
    await row('An invoice').hover()
    await at.button('Archive', row('An invoice')).click()

    await at.page.getByText('Not today.').waitFor()
    await row('An invoice').waitFor()
    await at.page.unroute('**/threads/*')
  })

  test('several are chosen, labelled with a label that is made on the way, and thrown away', async () => {
    await openInboxWithThreads()
    await pressed('j', 'Enter')
    await at.page.getByRole('heading', { name: 'A question' }).waitFor()
    await pressed('u')
    await row('A question').getByRole('checkbox').check({ force: true })
    await row('An invoice').getByRole('checkbox').check({ force: true })
    await pressed('l')
    await at.page.getByRole('menuitem', { name: 'New label…' }).click()
    await at.dialog().getByLabel('Label name').fill('To do')
    await at.button('Add label', at.dialog()).click()
    await row('An invoice').getByText('To do').waitFor()
    await at.button('Close', at.dialog()).click()
    await expect.poll(async () => (await threadOf('A question', 'inbox'))?.labels[0]?.name, SOON).toBe('To do')

    await at.page.getByRole('toolbar').getByRole('button', { name: 'Move to trash' }).click()

    await at.page.getByText('Moved to trash: 2 threads').waitFor()
    await row('A question').waitFor({ state: 'detached' })
    await at.page.getByRole('link', { name: 'Trash' }).click()
    await row('A question').waitFor()
    await row('An invoice').waitFor()
    await at.page.getByRole('checkbox', { name: 'Select all' }).check()
    await at.button('Move to inbox', at.page.getByRole('toolbar')).click()
    await at.page.getByText('Trash empty').waitFor()
    expect(await at.page.locator('.mailboxes [aria-current]').allInnerTexts()).toEqual(['Trash'])
    // The page shows it before the server has done it.
    for (const subject of ['A question', 'An invoice'])
      await expect.poll(() => threadOf(subject, 'inbox'), SOON).toBeDefined()
  })

  test('a search is words and chips, in the address, and marks what it found', async () => {
    await openInboxWithThreads()
    await pressed('/')
    await at.page.keyboard.type('parcel from:ada ')

    await at.button('Remove from:ada').waitFor()
    await row('Where is my parcel?').waitFor()
    await row('An invoice').waitFor({ state: 'detached' })
    await row('Where is my parcel?').locator('mark').first().waitFor()
    expect(new URL(at.page.url()).searchParams.get('q')).toBe('from:ada parcel')
    await at.page.reload()
    await at.button('Remove from:ada').click()
    await at.page.waitForURL(({ searchParams }) => searchParams.get('q') === 'parcel')
    await at.button('Clear search').click()
    await at.page.waitForURL(({ searchParams }) => !searchParams.get('q'))
    await row('An invoice').waitFor()
    await at.page.getByLabel('Search mail').fill('2026')
    await at.page.getByText('No results').waitFor()
    await at.button('Clear search').last().click()
    await row('An invoice').waitFor()
  })

  test('a label is a list of its own, and so is what is unread', async () => {
    const id = await addInboxWithThreads()
    const { id: label } = await at.post(`/inboxes/${id}/labels`, { name: 'To do' })
    for (const { subject } of THREADS) {
      const thread = `/inboxes/${id}/threads/${(await threadOf(subject, 'inbox'))!.id}`
      await at.service.call('PATCH', thread, { read: true })
      if (subject !== 'Where is my parcel?') await at.post(`${thread}/labels`, { labels: [label] })
    }
    await at.follow(`/inboxes/${id}`)
    await at.page.getByRole('navigation', { name: 'Mailboxes' }).getByRole('link', { name: 'To do' }).click()
    await row('A question').waitFor()
    await row('Where is my parcel?').waitFor({ state: 'detached' })
    await at.page.getByRole('link', { name: /^Inbox( |$)/ }).click()
    await at.button('Unread').click()
    await at.page.getByText('No unread threads').waitFor()
    await at.button('Unread').click()
    await row('A question').waitFor()
  })

  test('of many threads those in sight are in the page, and more are read as one scrolls', async () => {
    await openInbox()
    const { id } = await at.post('/inboxes', { email_address: 'many@example.com', name: 'Many' })
    for (let index = 0; index < 65; index++) await send('ada@elsewhere.example', `Thread ${index}`, 'many@example.com')
    await isFiled(id, 65)
    await at.page.getByRole('link', { name: /^Many/ }).click()
    await row('Thread 64').waitFor()

    expect(await at.page.locator('.thread-row').count()).toBeLessThan(40)
    await expect
      .poll(async () => {
        await at.page.evaluate(`document.querySelector('.thread-scroller').scrollTop = 1e6`)
        return row('Thread 0').count()
      }, SOON)
      .toBe(1)
    // What comes above does not move what is looked at. Rows may be made anew while more of them are read.
    const top = async () => Math.round((await row('Thread 0').boundingBox())?.y ?? Number.NaN)
    let before = await top()
    await eventually(async () => {
      const earlier = before
      before = await top()
      return before === earlier
    })
    await send('ada@elsewhere.example', 'A new one', 'many@example.com')
    await expect.poll(() => at.page.title(), SOON).toMatch(/^\(66\)/)
    await expect.poll(top, SOON).toBe(before)
  })

  test('nothing serious stands in anybody’s way, in the light and in the dark', async () => {
    await openInboxWithThreads()
    expect(await seriousFaults(at.page)).toEqual([])
    await pressed('j', 'x', '?')
    await at.dialog().getByText('Next thread').waitFor()
    await at.page.emulateMedia({ colorScheme: 'dark' })
    expect(await seriousFaults(at.page)).toEqual([])
    await pressed('Escape', 'Escape')
    await at.page.emulateMedia({ colorScheme: 'light' })
  })

  test('on a telephone there is one pane at a time', async () => {
    await openInboxWithThreads()
    await at.page.setViewportSize({ width: 390, height: 800 })
    await row('A question').click()
    await at.page.getByRole('heading', { name: 'A question' }).waitFor()
    expect(await row('A question').isVisible()).toBe(false)
    expect(await at.page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    await at.button('Back to list').click()
    await row('A question').waitFor()
    await at.button('Folders').click()
    await at.page.getByRole('link', { name: 'Archive' }).click()
    await at.page.getByText('Archive empty').waitFor()
  })
})
