import { expect, test } from 'vitest'
import { SIMPLE, startAcme } from '../../../test/harness/emails.ts'

const MEGABYTE = 1024 * 1024

test('an email may have 40 MB of attachments, in each of the forms in which clients send them', async () => {
  const { acme } = await startAcme()
  const content = Buffer.alloc(29 * MEGABYTE, 'bytes of a file')
  const list = `[${content.subarray(0, 2 * MEGABYTE).join()}]`
  const send = (json: string) =>
    acme.send({
      method: 'POST',
      url: '/emails',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'a' },
      payload: `${JSON.stringify({ ...SIMPLE, attachments: ['CUT'] }).replace('"CUT"', `{"filename":"a.bin","content":${json}}`)}`,
    })

  const base64 = await send(JSON.stringify(content.toString('base64')))
  const again = await send(JSON.stringify(content.toString('base64')))
  const other = await send(list)

  expect([base64.status, again.body, other.status]).toEqual([200, base64.body, 409])
  const { body } = await acme.get(`/emails/${base64.body.id}/attachments`)
  expect(body.data[0].size).toBe(content.length)
  for (const json of [list, `{"type":"Buffer","data":${list}}`]) {
    const reply = await acme.send({
      method: 'POST',
      url: '/emails',
      headers: { 'content-type': 'application/json' },
      payload: `{"from":"a@acme.dev","to":"b@acme.dev","subject":"x","html":"x","attachments":[{"filename":"a","content":${json}}]}`,
    })
    const { body: attachments } = await acme.get(`/emails/${reply.body.id}/attachments`)
    expect(attachments.data[0].size).toBe(2 * MEGABYTE)
  }
})
