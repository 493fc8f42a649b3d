import { describe, expect, test } from 'vitest'
import { arrive, RICH, receivingDomain, written } from '../../../test/harness/arriving.ts'
import { sendEmail, startAcme } from '../../../test/harness/emails.ts'

const idsIn = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id)

describe('the list of messages', () => {
  test('has what was sent and what was received, the newest first, and pages through both', async () => {
    const { app, acme } = await startAcme()
    const { domain } = await receivingDomain(acme)
    const first = await sendEmail(acme, { subject: 'One', text: 'Hello there' })
    const { message: second } = await arrive(app, RICH, { to: [`desk@${domain}`] })
    const third = await sendEmail(acme, {
      subject: 'Three',
      cc: ['c@example.com'],
      tags: [{ name: 'kind', value: 'a' }],
    })
    await sendEmail(acme, { subject: 'Later', scheduled_at: 'in 1 hour' })

    const all = await acme.get('/messages')

    expect(idsIn(all)).toEqual([third, second, first])
    expect(all.body.data).toMatchObject([
      { direction: 'sent', status: 'sent', snippet: 'Hi', cc: ['c@example.com'], tags: [{ name: 'kind', value: 'a' }] },
      { direction: 'received', status: null, snippet: 'Grüße', attachments: 2, from: 'Ada <ada@example.net>' },
      { direction: 'sent', subject: 'One', snippet: 'Hello there', is_read: false, labels: [], bcc: [] },
    ])
    expect(all.body.data[1].size).toBe(RICH.length)
    expect(idsIn(await acme.get(`/messages?limit=1&after=${third}`))).toEqual([second])
    expect((await acme.get(`/messages?limit=1&after=${third}`)).body.has_more).toBe(true)
    expect(idsIn(await acme.get(`/messages?limit=1&before=${first}`))).toEqual([second])
    expect(idsIn(await acme.get(`/messages?limit=5&before=${first}`))).toEqual([third, second])
    expect(idsIn(await (await app.as('globex')).get('/messages'))).toEqual([])
  })

  test('is narrowed by whole addresses, by parts of subject and text, by tag, direction and marks', async () => {
    const { app, acme } = await startAcme()
    const { domain } = await receivingDomain(acme)
    const plain = await sendEmail(acme, {
      to: 'Ada <Ada@Example.com>',
      subject: 'Ünïcode Welcome',
      text: 'Click\r\nthe link, 50%off, ?e=ada%40example.com',
    })
    const other = await sendEmail(acme, {
      ...{
        to: 'mary.ada@example.com',
        bcc: ['hidden@example.com'],
        subject: '100%_"sale"\\',
        html: '<p>Ein Br<b>ot</b> &uuml;ber</p>',
      },
      tags: [{ name: 'kind', value: 'offer' }],
    })
    const { message } = await arrive(app, written({ subject: 'Re: welcome' }), { to: [`Desk@${domain}`] })
    await acme.patch(`/messages/${plain}`, { is_read: true, labels: ['mine: now'] })
    const narrowed = async (query: Record<string, string>) =>
      idsIn(await acme.get(`/messages?${new URLSearchParams(query)}`))

    expect(await narrowed({ to: 'ADA@example.com' })).toEqual([plain])
    expect(await narrowed({ to: 'Somebody <ada@EXAMPLE.com>' })).toEqual([plain])
    expect(await narrowed({ to: 'ada@example.co' })).toEqual([])
    expect(await narrowed({ to: 'hidden@example.com' })).toEqual([other])
    expect(await narrowed({ to: `desk@${domain}` })).toEqual([message])
    expect(await narrowed({ from: 'ada@example.net' })).toEqual([message])
    expect(await narrowed({ subject: 'WELCOME' })).toEqual([message, plain])
    expect(await narrowed({ subject: 'ünïcode welcome' })).toEqual([plain])
    expect(await narrowed({ subject: '%_"SALE"\\' })).toEqual([other])
    expect(await narrowed({ text: 'click the LINK' })).toEqual([plain])
    expect(await narrowed({ text: '50%OFF' })).toEqual([plain])
    expect(await narrowed({ text: 'e=ada%40example' })).toEqual([plain])
    expect(await narrowed({ text: 'brot über' })).toEqual([other])
    expect(await narrowed({ tag: 'kind' })).toEqual([other])
    expect(await narrowed({ tag: 'kind:offer' })).toEqual([other])
    expect(await narrowed({ tag: 'kind:other' })).toEqual([])
    expect(await narrowed({ tag: 'mine: now' })).toEqual([plain])
    expect(await narrowed({ direction: 'received' })).toEqual([message])
    expect(await narrowed({ is_read: 'true' })).toEqual([plain])
    expect(await narrowed({ is_read: 'false', direction: 'sent' })).toEqual([other])
    expect(await narrowed({ q: 'welcome ada@' })).toEqual([message, plain])
    expect(await narrowed({ q: '"the link" ünïcode' })).toEqual([plain])
    expect(await narrowed({ q: '"link the"' })).toEqual([])
    for (const query of [
      'to=',
      'subject=',
      'tag=',
      'text=%zz',
      'text=ok&subject=%ED%A0%80',
      'direction=up',
      'is_read=maybe',
      `subject=${'a'.repeat(999)}`,
    ])
      expect((await acme.get(`/messages?${query}`)).status).toBe(422)
    // A search without a word is the whole list, and nothing to delete or mark it by.
    expect(await narrowed({ q: '-' })).toEqual([message, other, plain])
    for (const q of ['', '-', '%22%22']) {
      expect((await acme.delete(`/messages?q=${q}`)).status).toBe(422)
      expect((await acme.patch(`/messages?q=${q}`, { is_read: true })).status).toBe(422)
    }
  })

  test('finds an address of an international domain in either spelling', async () => {
    const { acme } = await startAcme()
    const letters = await sendEmail(acme, { from: 'Ünal <hello@acme.dev>', to: 'ada@münchen.de' })
    const ascii = await sendEmail(acme, { to: 'Ada <ada@xn--mnchen-3ya.de>' })
    await sendEmail(acme, { to: 'Jürgen <bob@example.com>' })

    for (const to of ['ada@münchen.de', 'ada@xn--mnchen-3ya.de', 'ADA@XN--MNCHEN-3YA.de'])
      expect(idsIn(await acme.get(`/messages?${new URLSearchParams({ to })}`))).toEqual([ascii, letters])
  })
})
