import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { App, Seams } from '../../../test/harness/app.ts'
import { arrive, RICH, receivingDomain } from '../../../test/harness/arriving.ts'
import { freshDatabase } from '../../../test/harness/database.ts'
import { blobsOf, SIMPLE, sendEmail, startAcme } from '../../../test/harness/emails.ts'
import { makeGate } from '../../../test/harness/gate.ts'
import { startS3Server } from '../../../test/harness/s3-server.ts'
import { sweep } from '../../../test/harness/sandboxes.ts'
import { sweepBlobs } from '../../kernel/blobs/loose-blobs.ts'
import { Database } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { hours } from '../../kernel/jobs/job.ts'
import { ensureRecurring } from '../../kernel/jobs/queries.ts'
import { systemClock } from '../../platform/clock.ts'
import type { BlobStore } from './blob-store.ts'
import { S3BlobStore } from './s3-blob-store.ts'

beforeEach(async () => {
  const db = Database.connect(await freshDatabase(), { clock: systemClock })
  await db.query(sql`truncate loose_blobs`)
  await db.close()
})

const FILE = { filename: 'a.txt', content: 'aGVsbG8=' }
const LARGE = Buffer.concat([RICH, Buffer.from(`${'x'.repeat(70)}\r\n`.repeat(5_000))])

async function sweepAfter(app: App, seconds: number) {
  app.clock.advance(seconds)
  await ensureRecurring(app.db, [sweepBlobs])
  await app.workerFor([sweepBlobs]).runDue()
}

const notesOf = (app: App) => app.db.query(sql`select key from loose_blobs`)

let isDead = false

/** A process that dies once it has written a blob: it neither goes on nor clears up. */
const dying = (store: BlobStore): BlobStore => ({
  put: async (key, content) => {
    await store.put(key, content)
    throw Object.assign(new Error('the process is gone'), { code: 'ECONNREFUSED' })
  },
  get: (key) => store.get(key),
  open: (key) => store.open(key),
  remove: (key) => (isDead ? Promise.resolve() : store.remove(key)),
  archived: () => store.archived(),
})

const STORES: Record<string, () => Promise<{ seams: Seams; count(app: App): number }>> = {
  files: async () => ({ seams: { blobs: dying }, count: (app) => blobsOf(app).length }),
  s3: async () => {
    const server = await startS3Server()
    const store = new S3BlobStore(server.options)
    onTestFinished(() => store.close())
    return { seams: { blobs: () => dying(store) }, count: () => server.objects.size }
  },
}

describe.each(Object.entries(STORES))('what a crash leaves in %s', (_name, start) => {
  test('is removed a day later, and not before', async () => {
    const { seams, count } = await start()
    const { app, acme } = await startAcme({}, seams)
    const { domain } = await receivingDomain(acme)
    isDead = true
    expect((await acme.post('/emails', { ...SIMPLE, attachments: [FILE] })).status).toBe(503)
    expect(await arrive(app, LARGE, { to: [`desk@${domain}`] })).toMatchObject({ kind: 'refused', code: 451 })
    isDead = false
    expect(count(app)).toBe(2)

    await sweepAfter(app, hours(23))
    expect(count(app)).toBe(2)

    await sweepAfter(app, hours(2))
    expect(count(app)).toBe(0)
    expect(await notesOf(app)).toEqual([])
  })
})

test('what is named stays, sent or received, and nothing is noted about it any more', async () => {
  const { app, acme } = await startAcme()
  const { domain } = await receivingDomain(acme)
  await sendEmail(acme, { attachments: [FILE, FILE] })
  await arrive(app, LARGE, { to: [`desk@${domain}`] })
  await app.runDueJobs()
  expect(await notesOf(app)).toEqual([])

  await sweepAfter(app, hours(1_000))

  expect(blobsOf(app)).toHaveLength(2 + 1 + 2)
})

test('who comes when a blob is being swept is refused: there is no email without its attachment', async () => {
  const gate = makeGate()
  const written = makeGate()
  const { app, acme } = await startAcme(
    {},
    {
      blobs: (real) => ({
        put: async (key, content) => {
          await real.put(key, content)
          written.open()
          await gate.opened
        },
        get: (key) => real.get(key),
        open: (key) => real.open(key),
        remove: (key) => real.remove(key),
        archived: () => real.archived(),
      }),
    },
  )
  const sleeper = acme.post('/emails', { ...SIMPLE, attachments: [FILE] })
  await written.opened

  await sweepAfter(app, hours(25))
  gate.open()

  await expect(sleeper).rejects.toThrow('answered 500')
  expect((await acme.get('/emails')).body.data).toEqual([])
})

test('the blobs of a team that is deleted go a day later', async () => {
  const { app, acme } = await startAcme()
  const { domain } = await receivingDomain(acme)
  await sendEmail(acme, { attachments: [FILE] })
  await arrive(app, LARGE, { to: [`desk@${domain}`] })
  await app.runDueJobs()
  await app.db.query(sql`delete from teams where id = ${acme.team}`)
  expect(await notesOf(app)).toHaveLength(1 + 1 + 2)

  await sweepAfter(app, hours(25))

  expect(blobsOf(app)).toEqual([])
})

test('a blob that cannot be removed does not keep the others, and is tried again', async () => {
  const stubborn = 'emails/b'
  let isBroken = true
  const { app } = await startAcme(
    {},
    {
      blobs: (real) => ({
        put: (key, content) => real.put(key, content),
        get: (key) => real.get(key),
        open: (key) => real.open(key),
        remove: (key) => (isBroken && key === stubborn ? Promise.reject(new Error('no')) : real.remove(key)),
        archived: () => real.archived(),
      }),
    },
  )
  for (const key of ['emails/a', stubborn, 'emails/c']) await app.services.blobs.put(key, Buffer.from(key))
  await app.db.query(
    sql`insert into loose_blobs (key, noted_at) select unnest(${['emails/a', stubborn, 'emails/c']}::text[]), now()`,
  )

  await sweepAfter(app, hours(25))
  expect(await notesOf(app)).toEqual([{ key: stubborn }])
  isBroken = false
  await sweepAfter(app, hours(1))

  expect(blobsOf(app)).toEqual([])
  expect(await notesOf(app)).toEqual([])
})

test('the blobs of a sandbox go an hour after it', async () => {
  const { app, acme } = await startAcme()
  const [sandbox, other] = [await app.sandboxOf(acme), await app.sandboxOf(acme)]
  await sendEmail(sandbox, { attachments: [FILE] })
  await sendEmail(other, { attachments: [FILE] })
  await acme.delete(`/sandboxes/${sandbox.team}`)
  await sweep(app)
  expect(blobsOf(app)).toHaveLength(2)

  await sweepAfter(app, hours(2))

  expect(blobsOf(app)).toHaveLength(1)
})
