import { expect, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { sendEmail } from '../../../test/harness/emails.ts'
import { sql } from '../db/sql.ts'
import { cleanPendingLists } from './pending-lists.ts'

const pendingPages = async ({ db }: App) => {
  const [row] = await db.query<{ pages: number }>(sql.write`
    select coalesce(sum(gin_clean_pending_list(h.inhrelid)), 0)::int as pages
    from pg_inherits h where h.inhparent = 'email_documents_by_words'::regclass`)
  return row!.pages
}

test('words that came late are taken into the index', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const search = async (subject: string) => {
    await sendEmail(acme, { subject })
    const { body } = await acme.get(`/emails?q=${subject}`)
    return (body as { data: { subject: string }[] }).data.map((email) => email.subject)
  }

  expect(await search('Zebra')).toEqual(['Zebra'])
  const { signal } = new AbortController()
  await cleanPendingLists.run({}, { db: app.db, signal })
  expect(await pendingPages(app)).toBe(0)

  expect(await search('Okapi')).toEqual(['Okapi'])
  expect(await pendingPages(app)).toBeGreaterThan(0)
})
