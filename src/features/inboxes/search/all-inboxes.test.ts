import { beforeEach, expect, test } from 'vitest'
import { type App, type Client, startApp } from '../../../../test/harness/app.ts'
import { newId } from '../../../../test/harness/ids.ts'
import { addMail, type MailToFind } from '../../../../test/harness/inbox-mail.ts'
import { type MadeInbox, makeInbox } from '../../../../test/harness/inboxes.ts'

let app: App
let acme: Client
let inboxes: MadeInbox[]

beforeEach(async () => {
  app = await startApp()
  acme = await app.as('acme')
  inboxes = []
  for (const name of ['desk', 'sales', 'jobs']) inboxes.push(await makeInbox(acme, name))
})

const add = (at: number, mail: MailToFind) => addMail(app, inboxes[at]!, mail)

interface Item {
  id: string
  inbox_id: string
  subject: string
  matched_text: string | null
}

async function found(parameters: Record<string, string>, client = acme): Promise<Item[]> {
  const { status, body } = await client.get(`/inboxes/threads/search?${new URLSearchParams(parameters)}`)
  expect(status).toBe(200)
  return body.data
}

test('finds words in all inboxes of the team, the newest first, and says in which', async () => {
  await add(0, { subject: 'First invoice', text: 'an invoice' })
  await add(1, { subject: 'Something else' })
  await add(2, { subject: 'Second invoice', text: 'another invoice' })
  await add(1, { subject: 'Third invoice', from: 'Bob <bob@example.org>' })
  const globex = await app.as('globex')
  await addMail(app, await makeInbox(globex, 'theirs'), { subject: 'Their invoice' })

  const items = await found({ query: 'invoice' })

  expect(items.map(({ subject, inbox_id }) => [subject, inbox_id])).toEqual([
    ['Third invoice', inboxes[1]!.id],
    ['Second invoice', inboxes[2]!.id],
    ['First invoice', inboxes[0]!.id],
  ])
  expect((await found({ query: 'invoice', from: 'bob' })).map(({ subject }) => subject)).toEqual(['Third invoice'])
  expect(await found({ query: 'invoice', folders: 'trash' })).toEqual([])
  expect((await found({ query: 'invoice' }, globex)).map(({ subject }) => subject)).toEqual(['Their invoice'])
})

test('pages go through all inboxes, each thread once, also where one email is in several', async () => {
  const expected: string[] = []
  for (let n = 0; n < 12; n++) {
    // Every third email went to all three.
    const places = n % 3 === 0 ? [0, 1, 2] : [n % 3]
    const id = newId()
    for (const at of places) expected.push((await add(at, { id, subject: 'Report', text: 'report' })).thread)
  }

  for (const limit of ['1', '2', '5']) {
    const [older, newer]: string[][] = [[], []]
    for (let after = ''; ; ) {
      const page = await found({ query: 'report', limit, ...(after && { after }) })
      older!.push(...page.map(({ id }) => id))
      if (page.length === 0) break
      after = page.at(-1)!.id
    }
    for (let before = older!.at(-1)!; ; ) {
      const page = await found({ query: 'report', limit, before })
      newer!.unshift(...page.map(({ id }) => id))
      if (page.length === 0) break
      before = page[0]!.id
    }

    expect([...older!].sort()).toEqual([...expected].sort())
    expect(newer).toEqual(older!.slice(0, -1))
  }
})

test('is refused to who may not read mail', async () => {
  const { body } = await acme.post('/api-keys', { name: 'sends', permission: 'sending_access' })

  const { status } = await app.send({
    ...{ method: 'GET', url: '/inboxes/threads/search?query=x' },
    headers: { authorization: `Bearer ${body.token}` },
  })

  expect([401, 403]).toContain(status)
})
