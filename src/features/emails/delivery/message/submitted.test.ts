import { expect, test } from 'vitest'
import { submit, written } from '../../../../../test/harness/arriving.ts'
import { addVerifiedDomain, blobsOf, emptyLedger, readEmail, startAcme } from '../../../../../test/harness/emails.ts'
import { newId } from '../../../../../test/harness/ids.ts'
import { startMailServer } from '../../../../../test/harness/mail-server.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import { verdictsOn } from '../../../../mail/golden/verify.ts'
import { loadSigners } from '../../../domains/index.ts'

/** The app with a domain, and one real mail server for all the others. */
async function start(options: Parameters<typeof startMailServer>[0] = {}) {
  const server = await startMailServer(options)
  const settings = { POSTWREN_DELIVERY: 'direct', POSTWREN_PUBLIC_URL: 'https://mail.acme.dev' }
  const router = {
    resolve: async (name: string) => ({ kind: 'found' as const, destination: { name, hosts: [server.host] } }),
  }
  const { app, acme } = await startAcme(settings, { router })
  await emptyLedger(app)
  const domain = `d-${newId()}.dev`
  const domainId = await addVerifiedDomain(app, acme, domain)
  return {
    ...{ app, acme, server, domain, domainId },
    from: `Ada <ada@${domain}>`,
    /** Submits and delivers it, and tells its id. */
    async deliver(raw: Buffer, recipients: readonly string[] = ['bob@one.dev']) {
      const answer = await submit(app, acme, raw, recipients)
      if (answer.kind === 'refused') throw new Error(answer.message)
      await app.deliverDue()
      return answer.message
    },
    /** A message without the signature in front of it. */
    asSubmitted: (bytes: Buffer) => withoutFeedback(bytes.subarray(bytes.indexOf(`From: Ada`))),
    signers: () => loadSigners(app.db, app.sealer, acme.team, domainId),
  }
}

/** Without where complaints go to, which is behind the last header of the message. */
function withoutFeedback(bytes: Buffer): Buffer {
  const start = bytes.indexOf('Feedback-ID: ')
  return Buffer.concat([bytes.subarray(0, start), bytes.subarray(bytes.indexOf('\r\n\r\n', start) + 2)])
}

const MEETING = {
  headers: ['X-Tag: one', 'x-tag: two', 'Content-Type: multipart/alternative; boundary=b'],
  body: [
    ...[
      '--b',
      'Content-Type: text/plain; format=flowed; charset=utf-8',
      '',
      'Grüße ',
      'to all of you who are there',
      '',
    ],
    ...['--b', 'Content-Type: text/calendar; method=REQUEST', '', 'BEGIN:VCALENDAR', 'END:VCALENDAR', '--b--', ''],
  ].join('\r\n'),
}

test('what was submitted arrives as it was, signed', async () => {
  const { acme, server, deliver, asSubmitted, signers, from } = await start()
  const raw = written({ from, ...MEETING })

  const id = await deliver(raw, ['bob@one.dev', 'eve@one.dev'])

  const [mail] = server.messages
  expect(mail).toMatchObject({
    to: ['bob@one.dev'],
    parameters: expect.stringContaining('BODY=8BITMIME'),
  })
  expect(asSubmitted(mail!.bytes).toString()).toBe(raw.toString())
  expect(await verdictsOn(mail!.bytes, await signers())).toEqual(['pass'])
  expect(await readEmail(acme, id)).toMatchObject({ message_id: '<one@example.net>', last_event: 'delivered' })
  const { source } = (await acme.get(`/emails/${id}/source`)).body
  expect(Buffer.from(source, 'latin1').toString()).toBe(raw.toString())
})

test('headers for complaints that its author has written stay, and ours are left out', async () => {
  const { server, deliver, from } = await start()

  await deliver(written({ from, headers: ['feedback-id: a:b:c:own', 'CFBL-ADDRESS: fbl@example.net'] }))

  const header = server.messages[0]!.bytes.toString().split('\r\n\r\n')[0]
  expect(header!.match(/^(?:feedback-id|cfbl-address): .*/gim)).toEqual([
    'feedback-id: a:b:c:own',
    'CFBL-ADDRESS: fbl@example.net',
  ])
})

test('a server that takes 7 bits gets 7, unless they are signed', async () => {
  const { acme, server, deliver, signers, from } = await start({ extensions: ['PIPELINING'] })
  const signed = ['Content-Type: multipart/signed; boundary=s']

  await deliver(written({ from, ...MEETING }))
  const id = await deliver(
    written({ from, headers: signed, body: '--s\r\n\r\nGrüße\r\n--s\r\n\r\nsignature\r\n--s--\r\n' }),
  )

  expect(server.messages).toHaveLength(1)
  const { bytes } = server.messages[0]!
  expect(bytes.every((byte) => byte < 0x80)).toBe(true)
  expect(bytes.toString()).toContain('Gr=C3=BC=C3=9Fe=20\r\nto all')
  expect(await verdictsOn(bytes, await signers())).toEqual(['pass'])
  expect((await readEmail(acme, id)).deliveries[0]).toMatchObject({
    state: 'bounced',
    replies: [{ reply: expect.stringContaining('5.6.3') }],
  })
})

test('a large one is in the blob store until its email is gone', async () => {
  const { app, acme, server, deliver, asSubmitted, from } = await start()
  const file = Buffer.alloc(300_000, 'abc').toString('base64').replace(/.{76}/g, '$&\r\n')
  const type = 'Content-Type: application/octet-stream; name="odd ;name.bin"'
  const raw = written({ from, headers: [type, 'Content-Transfer-Encoding: base64'], body: `${file}\r\n` })

  const id = await deliver(raw)

  expect(asSubmitted(server.messages[0]!.bytes).equals(raw)).toBe(true)
  expect(blobsOf(app)).toHaveLength(2)
  const [attachment] = (await acme.get(`/emails/${id}/attachments`)).body.data
  expect(attachment).toMatchObject({ filename: 'odd ;name.bin', size: 300_000 })
  expect((await acme.get(`/emails/${id}/source`)).body.source).toContain(type)
  const noted = () => app.db.query<{ key: string }>(sql`select key from loose_blobs where key like ${`%${id}/raw`}`)
  expect(await noted()).toHaveLength(0)
  await app.db.query(sql`delete from emails where team_id = ${acme.team} and id = ${id}`)
  expect(await noted()).toHaveLength(1)
})

test('one that cannot be written down leaves nothing behind', async () => {
  const { app, acme, from } = await start()
  const large = written({ from, body: 'a line\r\n'.repeat(50_000) })
  await app.db.query(sql`alter table submitted_messages add constraint no_room check (size < 1000) not valid`)

  try {
    await expect(submit(app, acme, large, ['bob@one.dev'])).rejects.toThrow('no_room')
    expect(blobsOf(app)).toHaveLength(0)
  } finally {
    await app.db.query(sql`alter table submitted_messages drop constraint no_room`)
  }
})

test('html is tracked where it is nobody’s signed word, and then each recipient gets their own', async () => {
  const { app, acme, server, deliver, domainId, signers, from } = await start()
  await acme.patch(`/domains/${domainId}`, { open_tracking: true, click_tracking: true })
  await app.db.query(sql`update domains set is_sending_verified = true where id = ${domainId}`)
  const html = 'Content-Type: text/html\r\n\r\n<a href="https://example.com/">x</a>\r\n'
  const two = ['bob@one.dev', 'cy@one.dev']

  await deliver(
    written({ from, headers: ['Content-Type: text/html'], body: '<a href="https://example.com/">x</a>\r\n' }),
    two,
  )
  await deliver(
    written({
      from,
      headers: ['Content-Type: multipart/signed; boundary=s'],
      body: `--s\r\n${html}\r\n--s\r\n\r\ns\r\n--s--\r\n`,
    }),
    two,
  )

  expect(server.messages.map(({ to }) => to.length)).toEqual([1, 1, 1, 1])
  const [bob, cy, signed] = server.messages.map(({ bytes }) => bytes.toString())
  expect(bob).toContain('https://mail.acme.dev/c/')
  expect(bob).not.toBe(cy)
  expect(signed).toContain(html)
  for (const { bytes } of server.messages) expect(await verdictsOn(bytes, await signers())).toEqual(['pass'])
})
