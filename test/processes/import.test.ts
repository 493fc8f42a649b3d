import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Resend } from 'resend'
import { expect, onTestFinished, test } from 'vitest'
import { POSTWREN, Program } from '../harness/program.ts'
import { dataOf } from '../harness/sdk.ts'
import { Service } from '../harness/service.ts'

const CONTACTS = 1_200

/** The source behind a door that sees each request. */
async function doorTo({ url }: Service, look: (path: string) => void) {
  const server = createServer(async (request, response) => {
    look(request.url!)
    const { authorization = '' } = request.headers
    const reply = await fetch(`${url}${request.url}`, { headers: { authorization } })
    const text = await reply.text()
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function fill(service: Service) {
  const resend = new Resend(service.token, { baseUrl: service.url })
  const { id: segmentId } = await dataOf(resend.segments.create({ name: 'Readers' }))
  const { id: topicId } = await dataOf(resend.topics.create({ name: 'News', defaultSubscription: 'opt_in' }))
  await dataOf(resend.contactProperties.create({ key: 'plan', type: 'string', fallbackValue: 'free' }))
  await dataOf(
    resend.templates.create({ name: 'Welcome', alias: 'welcome', subject: 'Hello', html: '<p>Hello</p>' }).publish(),
  )
  await dataOf(resend.domains.create({ name: 'moving.example', customReturnPath: 'bounces' }))
  await dataOf(resend.webhooks.create({ endpoint: 'https://hooks.example.com/', events: ['email.sent'] }))
  await dataOf(resend.suppressions.add({ email: 'gone@example.com' }))
  await dataOf(
    resend.broadcasts.create({
      segmentId,
      topicId,
      from: 'a@moving.example',
      subject: 'News',
      html: '<p>News</p>',
      name: 'News',
    }),
  )
  await dataOf(
    resend.contacts.create({
      ...{ email: 'ada@example.com', firstName: 'Ada', properties: { plan: 'pro' } },
      ...{ segments: [{ id: segmentId }], topics: [{ id: topicId, subscription: 'opt_out' }] },
    }),
  )
  const form = new FormData()
  const rows = Array.from({ length: CONTACTS }, (_, index) => `c${index}@example.com,Number ${index}`)
  form.set('segments', JSON.stringify([{ id: segmentId }]))
  form.set('file', new Blob([`email,first_name\n${rows.join('\n')}\n`]), 'contacts.csv')
  await fetch(`${service.url}/contacts/imports`, {
    ...{ method: 'POST', body: form, headers: { authorization: `Bearer ${service.token}` } },
  })
  await service.stored(async () => (await service.call('GET', '/contacts/imports')).body.data[0].status === 'completed')
}

const LISTS = ['/segments', '/topics', '/contact-properties', '/suppressions', '/broadcasts']

/** Without what is new here: keys, and how far domains are verified. */
async function answersOf(service: Service) {
  const read = async (path: string) => (await service.call('GET', path)).body
  const webhook = (await read('/webhooks')).data[0]
  const domain = (await read('/domains')).data[0]
  const { records: _records, ...settings } = await read(`/domains/${domain.id}`)
  return {
    lists: await Promise.all(LISTS.map(read)),
    contacts: await read('/contacts?include=properties,segments,topics'),
    template: await read('/templates/welcome'),
    webhook: await read(`/webhooks/${webhook.id}`),
    domain: settings,
  }
}

test('an account moves into a running installation, also when the import is killed on the way', async () => {
  const [source, target] = await Promise.all([Service.start(), Service.start()])
  await fill(source)
  let pages = 0
  let killed: Promise<void> | undefined
  const door = await doorTo(source, (path) => {
    if (path.startsWith('/contacts?') && ++pages === 6) killed = first.kill()
  })
  const environment = { POSTWREN_DATA_DIR: target.dataDir, RESEND_API_KEY: source.token }
  const command = [...POSTWREN, 'import', 'resend', '--base-url', door, '--json']

  const first = new Program(command, { environment })
  await first.ended()
  await killed
  const here = (await target.call('GET', '/contacts')).body.data.length
  const second = new Program(command, { environment })
  const code = await second.ended()
  const pagesInAll = pages
  const third = new Program(command, { environment })
  await third.ended()

  expect([code, second.complaints]).toEqual([0, []])
  expect(here).toBeGreaterThan(300)
  expect(here).toBeLessThan(CONTACTS)
  // Thirteen pages are all of them; the one that was under way is read again.
  expect(pagesInAll).toBeLessThan(16)
  const report = JSON.parse(second.stdout)
  expect(report.counts.contacts.read).toBe(CONTACTS + 1)
  // Both name their keys alike, and one name holds one key.
  expect(report.dns.map(({ when, act, name }: Record<string, string>) => `${when} ${act} ${name}`)).toEqual([
    'before add send.moving.example',
    'before add send.moving.example',
    'switch replace postwren._domainkey.moving.example',
    'after remove bounces.moving.example',
    'after remove bounces.moving.example',
  ])
  expect(report.keys).toHaveLength(1)
  expect(await answersOf(target)).toEqual(await answersOf(source))
  const again = JSON.parse(third.stdout).counts as Record<string, { created: number; updated: number }>
  expect(Object.values(again).map(({ created, updated }) => created + updated)).toEqual(Object.keys(again).map(() => 0))
  for (const { stdout, stderr } of [first, second]) expect(stdout + stderr).not.toContain(source.token)
})
