import { describe, expect, test } from 'vitest'
import type { Client } from '../../../../test/harness/app.ts'
import { arrive, RICH, receivingDomain } from '../../../../test/harness/arriving.ts'
import { freshName, startAppWithDns } from '../../../../test/harness/domains.ts'
import { sendEmail, startAcme } from '../../../../test/harness/emails.ts'
import { startFileServer } from '../../../../test/harness/file-server.ts'
import { startSpamd } from '../../../../test/harness/spamd.ts'
import { startTracked } from '../../../../test/harness/tracked-mail.ts'
import { sql } from '../../../kernel/db/sql.ts'

const checksOf = async (client: Client, id: string, query = '', path = '/messages') => {
  const { status, body } = await client.get(`${path}/${id}/checks${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

interface ReportedFinding {
  check: string
  severity: string
  line: number | null
  title: string
  detail: string | null
}

const titlesOf = (findings: ReportedFinding[], check: string) =>
  findings
    .filter((one) => one.check === check)
    .map(({ severity, line, title }) => `${severity} ${line ?? '-'} ${title}`)

const HTML = `<!doctype html>
<body>
  <div style="display:grid">Hi</div>
  <a href="http://localhost:3000/confirm">Confirm</a>
  <img src="https://images.example.com/a.png">
</body>`

describe('the checks of a message', () => {
  test('tell what is worth a look in a sent one, with the line, and what is fine', async () => {
    const { acme } = await startAcme()
    const id = await sendEmail(acme, { html: HTML })

    const checks = await checksOf(acme, id)

    expect(checks).toMatchObject({ object: 'message_checks', id, spam: null, support: { clients: 48 } })
    expect(titlesOf(checks.findings, 'links')).toEqual(['error 4 A link points to a local address'])
    expect(titlesOf(checks.findings, 'images')).toEqual(['warning 5 An image has no alt text'])
    expect(checks.findings[0]).toMatchObject({
      severity: 'error',
      source: '<a href="http://localhost:3000/confirm">Confirm</a>',
    })
    expect(checks.findings.find(({ title }: ReportedFinding) => title.startsWith('display:grid'))).toMatchObject({
      line: 3,
    })
    expect(checks.passed.map(({ check }: ReportedFinding) => check)).toEqual([
      'dark_mode',
      'clipping',
      'text',
      'unsubscribe',
      'sender',
      'tracking',
    ])
  })

  test('look at received ones, too', async () => {
    const { app, acme } = await startAcme()
    const { domain } = await receivingDomain(acme)
    const { message } = await arrive(app, RICH, { to: [`desk@${domain}`] })

    const { findings, passed } = await checksOf(acme, message)

    expect(titlesOf(findings, 'text')).toEqual(['warning - No text part'])
    expect(titlesOf(findings, 'images')).toContain('error 1 An image is missing from the message (cid)')
    const ofSender = ['sender', 'dmarc', 'tracking']
    expect([...findings, ...passed].filter(({ check }: ReportedFinding) => ofSender.includes(check))).toEqual([])
  })

  test('of a text have nothing to say about html', async () => {
    const { acme } = await startAcme()
    const id = await sendEmail(acme, { html: undefined, text: 'Hi' })

    const { findings, support, passed } = await checksOf(acme, id)

    expect(titlesOf(findings, 'sender')).toEqual(['notice - Sent from the root domain'])
    expect({ others: findings.slice(1), support }).toEqual({ others: [], support: null })
    expect(passed.map(({ check }: ReportedFinding) => check)).toEqual(['unsubscribe', 'sender', 'tracking'])
  })

  test('are of one team, and of a message that there is', async () => {
    const { app, acme } = await startAcme()
    const id = await sendEmail(acme)

    expect((await (await app.as('globex')).get(`/messages/${id}/checks`)).status).toBe(404)
    expect((await acme.get('/messages/01890000-0000-7000-8000-000000000000/checks')).status).toBe(404)
    expect((await acme.get(`/messages/${id}/checks?links=perhaps`)).status).toBe(422)
  })
})

describe('the sender of a message', () => {
  const passes = (passed: ReportedFinding[], check: string) => passed.some((one) => one.check === check)

  test('has links of its own domain, and an address that can be answered', async () => {
    const { acme } = await startAcme()
    const html = '<a href="https://acme.dev/">us</a>\n<a href="https://shop.example/">them</a>'

    const { findings, passed } = await checksOf(acme, await sendEmail(acme, { from: 'noreply@mail.acme.dev', html }))

    expect(titlesOf(findings, 'links')).toEqual(['notice 2 A link leads to another domain than acme.dev'])
    expect(titlesOf(findings, 'sender')).toEqual(['notice - Replies are not wanted (no-reply)'])
    expect([passes(passed, 'links'), passes(passed, 'sender')]).toEqual([true, false])
  })

  test('counts opens and clicks through a host of its own domain', async () => {
    const { app, acme, domain, domainId, send } = await startTracked({ tracking_subdomain: 'links' })
    const tracking = async () => titlesOf((await checksOf(acme, await send())).findings, 'tracking')
    expect(await tracking()).toEqual([
      `notice - Click tracking goes through another domain than ${domain}`,
      `notice - Open tracking goes through another domain than ${domain}`,
    ])

    await app.db.query(sql`update domains set is_tracking_verified = true where id = ${domainId}`)
    app.clock.advance(60)

    expect(await tracking()).toEqual([])
  })

  test.each([
    [undefined, ['warning - No valid DMARC record'], false],
    [[['v=DMARC1; p=maybe']], ['warning - No valid DMARC record'], false],
    [[['v=DMARC1; p=none'], ['v=DMARC1; p=reject']], ['warning - Several DMARC records, so none counts'], false],
    [[['v=DMARC1; p=none']], [], true],
  ])('has a DMARC record in the DNS: %j', async (TXT, expected, isPassed) => {
    const { dns, ...app } = await startAppWithDns()
    const acme = await app.as('acme')
    const domain = freshName()
    if (TXT) dns.set(`_dmarc.${domain}`, { TXT })
    const id = await sendEmail(acme, { from: `hello@mail.${domain}` })
    const before = await checksOf(acme, id)
    expect([titlesOf(before.findings, 'dmarc'), passes(before.passed, 'dmarc')]).toEqual([[], false])
    expect(dns.queries).toEqual([])

    const { findings, passed } = await checksOf(acme, id, '?links=true')

    expect([titlesOf(findings, 'dmarc'), passes(passed, 'dmarc')]).toEqual([expected, isPassed])
  })

  test('is not told about a DMARC record when no name server answers, and none is asked for mail of a sandbox', async () => {
    const { dns, ...app } = await startAppWithDns()
    const acme = await app.as('acme')
    const domain = freshName()
    dns.fault(`_dmarc.${domain}`, 'servfail')
    const sandbox = await app.sandboxOf(acme)

    const { findings, passed } = await checksOf(acme, await sendEmail(acme, { from: `hello@${domain}` }), '?links=true')
    expect([titlesOf(findings, 'dmarc'), passes(passed, 'dmarc')]).toEqual([[], false])

    const asked = dns.queries.length
    const ofSandbox = await checksOf(sandbox, await sendEmail(sandbox), '?links=true')
    expect([passes(ofSandbox.passed, 'dmarc'), dns.queries.length]).toEqual([false, asked])
  })
})

/** Pages as they are on the web. */
async function startPages() {
  const methods: string[] = []
  const server = await startFileServer((request, response) => {
    methods.push(`${request.method} ${request.url}`)
    const [, status] = /^\/(\d+)/.exec(request.url!) ?? []
    if (request.url === '/moved') response.writeHead(302, { location: '/404' })
    else if (request.url === '/only-get') response.statusCode = request.method === 'GET' ? 200 : 405
    else if (request.url === '/large.png') response.setHeader('content-length', 2_000_000)
    else if (status) response.statusCode = Number(status)
    response.end(request.method === 'HEAD' ? undefined : 'x')
    if (request.url === '/large.png') request.socket.destroy()
  })
  return { ...server, methods }
}

const linked = (url: string, ...paths: string[]) =>
  paths.map((path) => `<a href="${url}${path}">${path}</a>`).join('\n')

describe('servers of links and images', () => {
  test('are asked only when somebody says so', async () => {
    const { acme } = await startAcme()
    const { url, methods } = await startPages()
    const html = `${linked(url, '/ok', '/404', '/moved', '/only-get', '/403', '/500')}<img src="${url}/large.png" alt="x">`
    const id = await sendEmail(acme, { html })
    await checksOf(acme, id)
    expect(methods).toEqual([])

    const { findings } = await checksOf(acme, id, '?links=true')

    const dead = findings.filter(({ detail }: ReportedFinding) => detail?.includes('server answered'))
    expect(dead.map(({ line, severity, title }: ReportedFinding) => `${line} ${severity} ${title}`).sort()).toEqual([
      '2 error A link is broken: not found',
      '3 error A link is broken: not found',
      '6 warning A link returns a server error',
    ])
    expect(titlesOf(findings, 'images')).toContain('warning 6 An image on the web is larger than 1 MB')
    expect(methods).toContain('HEAD /ok')
    expect(methods).not.toContain('GET /ok')
    expect(methods).toContain('GET /only-get')
  })

  test('that do not answer are told, and there is an end to asking', async () => {
    const { acme } = await startAcme()
    const many = Array.from({ length: 300 }, (_, index) => `/p${index}`)
    const { url, methods } = await startPages()
    const id = await sendEmail(acme, { html: `${linked('http://127.0.0.1:1', '/gone')}\n${linked(url, ...many)}` })

    const { findings } = await checksOf(acme, id, '?links=true')

    expect(titlesOf(findings, 'links')).toContain('error 1 A link is broken: the server does not respond')
    expect(new Set(methods.map((method) => method.split(' ')[1])).size).toBe(99)
  })

  test('are those of this machine in a sandbox, and no others', async () => {
    const { acme } = await startAcme({ POSTWREN_DELIVERY: 'inbox' })
    const { body: sandbox } = await acme.post('/sandboxes', {})
    const { url } = await startPages()
    const html = `${linked(url, '/404')}\n${linked('https://shop.example.com', '/x')}\n${linked('http://10.0.0.1', '/y')}`
    const path = `/sandboxes/${sandbox.id}`
    const { body: sent } = await acme.post(`${path}/emails`, {
      ...{ from: `a@${sandbox.domain}`, to: 'ada@example.com', subject: 'Hi', html },
    })

    const { findings } = await checksOf(acme, sent.id, '?links=true', `${path}/messages`)

    expect(
      findings
        .filter(({ title }: ReportedFinding) => title.includes('broken'))
        .map(({ line }: ReportedFinding) => line),
    ).toEqual([1])
  })
})

describe('the spam filter of the installation', () => {
  const report = (score: number) => `SPAMD/1.1 0 EX_OK\r\nSpam: x ; ${score} / 5.0\r\n\r\n 1.5 BAD_WORDS  Bad words\n`

  test.each([
    [9, ['error - Classified as spam by the spam filter']],
    [4, ['warning - The spam score is near the limit']],
    [0.5, []],
  ])('gives a score: %d', async (score, expected) => {
    const { acme } = await startAcme({ POSTWREN_SPAMD_URL: await startSpamd(report(score)) })
    const id = await sendEmail(acme)

    const checks = await checksOf(acme, id)

    expect(checks.spam).toEqual({
      ...{ score, threshold: 5 },
      rules: [{ name: 'BAD_WORDS', score: 1.5, description: 'Bad words' }],
    })
    expect(titlesOf(checks.findings, 'spam')).toEqual(expected)
  })

  test('may be away, and everything else is told', async () => {
    const { acme } = await startAcme({ POSTWREN_SPAMD_URL: 'spamd://127.0.0.1:1' })
    const id = await sendEmail(acme)

    const checks = await checksOf(acme, id)

    expect(checks.spam).toBeNull()
    expect(titlesOf(checks.findings, 'spam')).toEqual(['notice - No spam score'])
  })

  test('is not asked about mail of a sandbox when it is elsewhere, nor about what is too large for it, and that is said', async () => {
    const { app, acme } = await startAcme({ POSTWREN_SPAMD_URL: 'spamd://192.0.2.1:783' })
    const sandbox = await app.sandboxOf(acme)
    const sent = [
      await checksOf(sandbox, await sendEmail(sandbox)),
      await checksOf(acme, await sendEmail(acme, { text: 'x'.repeat(1024 * 1024) })),
    ]

    expect(sent.map(({ spam }) => spam)).toEqual([null, null])
    expect(
      sent.flatMap(({ findings }) =>
        findings.filter(({ check }: ReportedFinding) => check === 'spam').map(({ detail }: ReportedFinding) => detail),
      ),
    ).toEqual([
      'The spam filter is on another machine, and sandbox mail stays on this one.',
      'Larger than 1 MB: spam filters do not scan such messages.',
    ])
  })
})
