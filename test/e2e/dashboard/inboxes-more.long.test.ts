import { createTransport } from 'nodemailer'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { addMember, ensureUser } from '../../../src/features/people/users.ts'
import { sql } from '../../../src/kernel/db/sql.ts'
import { seriousFaults } from '../../harness/axe.ts'
import { openBrowser } from '../../harness/chromium.ts'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { startDashboard } from '../../harness/dashboard.ts'
import { postwren } from '../../harness/program.ts'
import { eventually } from '../../harness/service.ts'
import { databaseOf } from '../../harness/service-database.ts'

const DESK = 'desk@example.com'
const SALES = 'sales@example.com'
const SUBJECTS = ['First order', 'Second order', 'Third order', 'Fourth order']

describe.runIf(CHROMIUM)('people who share inboxes', () => {
  const at = startDashboard()
  let desk: string
  let sales: string

  const read = async (path: string) => (await at.service.call('GET', `/inboxes/${desk}${path}`)).body
  const threads = async (folder = 'inbox') =>
    (await read(`/threads?folders=${folder}`)).data as { id: string; subject: string; read: boolean }[]
  const row = (subject: string, page: Page = at.page) => page.locator('.thread-row', { hasText: subject })
  const text = (page: Page = at.page) => page.getByRole('textbox', { name: 'Text' })
  const openThread = async (subject: string, page: Page = at.page) => {
    await row(subject, page).locator('a').click()
    await page.getByRole('heading', { name: subject }).waitFor()
  }

  beforeAll(async () => {
    const mail = createTransport({ host: '127.0.0.1', port: at.service.smtpPort, ignoreTLS: true })
    await at.post('/domains', { name: 'example.com' })
    desk = (await at.post('/inboxes', { email_address: DESK, name: 'Desk' })).id
    sales = (await at.post('/inboxes', { email_address: SALES, name: 'Sales' })).id
    const from = 'Ada Lovelace <ada@elsewhere.example>'
    for (const subject of SUBJECTS) await mail.sendMail({ from, to: DESK, subject, text: `About the ${subject}` })
    await mail.sendMail({ from, to: SALES, subject: 'A quotation', text: 'For another order' })
    await at.service.stored(async () => (await threads()).length === SUBJECTS.length)
    await at.follow(`/inboxes/${desk}`)
    await row(SUBJECTS[0]!).waitFor()
  })

  test('a reply is taken back within ten seconds, and is the draft that it was', async () => {
    await openThread('First order')
    await at.page.keyboard.press('r')
    await text().and(at.page.locator(':focus')).waitFor()
    await at.page.keyboard.type('It is ')
    await at.page.keyboard.press('Control+b')
    await at.page.keyboard.type('here')
    await at.page.getByText('Saved', { exact: true }).waitFor()
    const [before] = (await read('/drafts')).data
    await at.page.keyboard.press('Control+Enter')
    await at.page.locator('.toast', { hasText: 'Email sent' }).waitFor()
    await at.page.getByRole('list', { name: 'Drafts of this thread' }).getByText('Sending').waitFor()

    await at.page.keyboard.press('z')

    await at.page.locator('.toast', { hasText: 'Sending undone' }).waitFor()
    await text().getByText('here').waitFor()
    const [after] = (await read('/drafts')).data
    expect(after).toEqual(before)
    expect(
      (await read(`/threads/${(await threads()).find(({ subject }) => subject === 'First order')!.id}/emails`)).data,
    ).toHaveLength(1)

    await text().and(at.page.locator(':focus')).waitFor()
    const saved = at.page.waitForResponse(
      (response) => response.request().method() === 'PATCH' && response.url().includes('/drafts/'),
    )
    await at.page.keyboard.press('Control+End')
    await at.page.keyboard.insertText(' again')
    await saved
    expect((await read(`/drafts/${before.id}`)).text).toContain('again')
    expect(await at.page.getByText('sent elsewhere').count()).toBe(0)
  })

  test('a reply is sent although the page is closed at once', async () => {
    const { page } = await openBrowser()
    await page.context().addCookies(await at.page.context().cookies())
    await page.goto(`${at.service.url}/dashboard/inboxes/${desk}`)
    await openThread('Second order', page)
    await page.keyboard.press('r')
    await text(page).fill('On its way')
    await text(page).press('Control+Enter')
    await page.locator('.toast', { hasText: 'Email sent' }).waitFor()
    await page.close()

    const { id } = (await threads()).find(({ subject }) => subject === 'Second order')!
    await at.service.stored(async () => (await read(`/threads/${id}/emails`)).data.length === 2)
    expect((await read(`/threads/${id}/emails`)).data[1]).toMatchObject({ direction: 'outbound' })
  })

  test('many threads are archived with one call, and Undo brings all of them back', async () => {
    const calls: string[] = []
    at.page.on('request', (request) => {
      if (request.method() !== 'GET' && request.url().includes('/threads/')) calls.push(request.url())
    })
    await at.follow(`/inboxes/${desk}`)
    await row(SUBJECTS[0]!).waitFor()
    await at.page.getByRole('checkbox', { name: 'Select all' }).click()
    calls.length = 0
    await at.page.keyboard.press('e')

    await at.page.locator('.toast', { hasText: `Archived: ${SUBJECTS.length} threads` }).waitFor()
    await eventually(async () => (await threads('archive')).length === SUBJECTS.length)
    expect(calls.filter((url) => !url.endsWith('/viewers'))).toEqual([expect.stringMatching(/\/threads\/batch$/)])
    await at.button('Undo').click()
    for (const subject of SUBJECTS) await row(subject).waitFor()
    await eventually(async () => (await threads()).length === SUBJECTS.length)
  })

  test('a search from the page of inboxes finds threads of all of them', async () => {
    await at.follow('/inboxes')
    await at.page.getByRole('combobox', { name: 'Search all inboxes' }).fill('order')
    const results = at.page.getByRole('list', { name: 'Results' })
    await results.getByRole('link', { name: /A quotation.*Inbox: Sales/ }).waitFor()
    await results.getByRole('link', { name: /First order.*Inbox: Desk/ }).waitFor()
    await at.page.getByRole('combobox', { name: 'Search all inboxes' }).press('Enter')
    expect(await seriousFaults(at.page)).toEqual([])

    await results.getByRole('link', { name: /A quotation/ }).click()

    await at.page.getByRole('heading', { name: 'A quotation' }).waitFor()
    expect(at.page.url()).toContain(sales)
    await at.follow('/inboxes?q=nonsense')
    await at.page.getByText('No results').waitFor()
  })

  test('two people at one thread see each other, and who replies', async () => {
    const db = await databaseOf(at.service)
    const [{ id: team }] = (await db.query<{ id: string }>(
      sql`select team_id as id from inboxes where id = ${desk}`,
    )) as [{ id: string }]
    const environment = { POSTWREN_DATA_DIR: at.service.dataDir, POSTWREN_PORT: new URL(at.service.url).port }
    const signIn = async (email: string, name: string) => {
      const { id } = await ensureUser(db, email)
      await addMember(db, team, id, 'owner')
      await db.query(sql`update users set name = ${name} where id = ${id}`)
      const { page } = await openBrowser()
      const { stdout } = await postwren(['user', 'link', email], { environment })
      await page.goto(stdout.split('\n')[0]!)
      await at.button('Sign in', page).click()
      await page.locator('.side nav').waitFor()
      await page.goto(`${at.service.url}/dashboard/inboxes/${desk}`)
      return page
    }
    const grace = await signIn('grace@example.com', 'Grace')
    const alan = await signIn('alan@example.com', 'Alan')

    await openThread('Third order', grace)
    await openThread('Third order', alan)
    await alan.getByText('Grace is viewing').waitFor()
    await alan.keyboard.press('r')
    await grace.getByText('Alan is replying').waitFor()
    expect(await seriousFaults(grace)).toEqual([])
    await alan.close()
    await grace.getByText('Alan is replying').waitFor({ state: 'detached' })
  })

  test('on a telephone mail is read, archived and answered by thumb', async () => {
    const { page } = await openBrowser({ viewport: { width: 390, height: 800 } })
    await page.context().addCookies(await at.page.context().cookies())
    await page.goto(`${at.service.url}/dashboard/inboxes/${desk}`)
    const isNarrow = async () =>
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    const isThumbSized = async (name: string) => {
      const { width, height } = (await page.getByRole('button', { name, exact: true }).first().boundingBox())!
      expect(Math.min(width, height), name).toBeGreaterThanOrEqual(44)
    }
    await openThread('Fourth order', page)
    await isNarrow()
    for (const name of ['Back to list', 'Archive', 'Move to trash', 'Mark as unread']) await isThumbSized(name)
    await page.getByRole('button', { name: 'Archive', exact: true }).click()
    await page.locator('.toast', { hasText: 'Archived' }).waitFor()
    await row('Third order', page).waitFor()
    expect(await row('Fourth order', page).count()).toBe(0)

    await openThread('Third order', page)
    await page.getByRole('button', { name: 'Reply', exact: true }).click()
    await text(page).fill('From a telephone')
    await isNarrow()
    await isThumbSized('Send')
    // As if the keyboard had come: what sends is still in sight.
    await page.setViewportSize({ width: 390, height: 460 })
    await text(page).click()
    const send = page.getByRole('button', { name: 'Send', exact: true })
    await eventually(async () => {
      const { y, height } = (await send.boundingBox())!
      return y >= 0 && y + height <= 460
    })
    expect(await seriousFaults(page)).toEqual([])
    await send.click()
    await page.locator('.toast', { hasText: 'Email sent' }).waitFor()
    expect(at.errors).toEqual([])
  })
})
