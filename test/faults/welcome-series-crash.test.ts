import { type CreateAutomationOptions, Resend } from 'resend'
import { expect, test } from 'vitest'
import { startDnsServer } from '../harness/dns-server.ts'
import { publish } from '../harness/domains.ts'
import { type MailServer, startMailServer } from '../harness/mail-server.ts'
import { relaying } from '../harness/relaying.ts'
import { dataOf } from '../harness/sdk.ts'
import { dataFolder, eventually, Service } from '../harness/service.ts'

/** Who opens the first email, and who does not. Both are on the plan that gets the second one. */
const [READER, SLEEPER] = ['ada@sink.dev', 'bob@sink.dev']

interface Series {
  readonly eventName: string
  readonly timeout: string
  readonly templates: { readonly hello: string; readonly more: string }
  readonly segmentId: string
}

const welcomeSeries = ({ eventName, timeout, templates, segmentId }: Series): CreateAutomationOptions => ({
  name: 'Welcome',
  status: 'enabled',
  steps: [
    { key: 'start', type: 'trigger', config: { eventName } },
    { key: 'hello', type: 'send_email', config: { template: { id: templates.hello } } },
    { key: 'opened', type: 'wait_for_event', config: { eventName: 'resend:email.opened', timeout } },
    {
      key: 'is_pro',
      type: 'condition',
      config: { type: 'rule', field: 'event.plan', operator: 'eq', value: 'pro' },
    },
    { key: 'more', type: 'send_email', config: { template: { id: templates.more } } },
    { key: 'join', type: 'add_to_segment', config: { segmentId } },
  ],
  connections: [
    { from: 'start', to: 'hello' },
    { from: 'hello', to: 'opened' },
    { from: 'opened', to: 'is_pro', type: 'event_received' },
    { from: 'opened', to: 'join', type: 'timeout' },
    { from: 'is_pro', to: 'more', type: 'condition_met' },
    { from: 'is_pro', to: 'join', type: 'condition_not_met' },
    { from: 'more', to: 'join' },
  ],
})

async function startWorld() {
  const [dns, relay] = [await startDnsServer(), await startMailServer()]
  const settings = {
    ...relaying(relay, dns),
    POSTWREN_HOSTNAME: 'mx.postwren.test',
    POSTWREN_API_KEY: 're_key_of_the_automations_test',
  }
  const dataDir = dataFolder()
  const start = () => Service.start({ dataDir, settings })
  const service = await start()
  const tracked = { name: 'acme.dev', dkim: 'ed25519', open_tracking: true }
  const { body: domain } = await service.call('POST', '/domains', tracked)
  publish(dns, domain)
  await service.call('POST', `/domains/${domain.id}/verify`)
  await eventually(async () => (await service.call('GET', `/domains/${domain.id}`)).body.status === 'verified')
  return { relay, service, start }
}

const sdkOf = (service: Service) => new Resend(service.token, { baseUrl: service.url })

async function publishedTemplate(resend: Resend, subject: string): Promise<string> {
  const template = { name: subject, subject, from: 'Acme <hello@acme.dev>', html: `<p>${subject}</p>` }
  const { id } = await dataOf(Promise.resolve(resend.templates.create(template)))
  await dataOf(resend.templates.publish(id))
  return id
}

/** Subjects and recipients of all that arrived, in the order of the alphabet. */
const arrived = (relay: MailServer) =>
  relay.messages.map(({ bytes, to }) => `${/^Subject: (.*)\r$/m.exec(bytes.toString())![1]} to ${to}`).sort()

/** As a browser loads the picture in the mail. */
async function open(service: Service, relay: MailServer, address: string) {
  const { bytes } = relay.messages.find(({ to }) => to.includes(address))!
  const text = bytes.toString().replaceAll('=\r\n', '').replaceAll('=3D', '=')
  const [, path] = /<img src="http:\/\/[^/]+(\/[^"]+)"/.exec(text)!
  const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
  expect((await fetch(service.url + path, { headers })).status).toBe(200)
}

/** The run of an automation, once it has ended. */
async function endedRun(resend: Resend, automationId: string, meanwhile = async () => {}) {
  let runs: { id: string }[] = []
  await eventually(async () => {
    await meanwhile()
    runs = (await dataOf(resend.automations.runs.list({ automationId, status: 'completed' }))).data
    return runs.length > 0
  })
  return dataOf(resend.automations.runs.get({ automationId, runId: runs[0]!.id }))
}

const statesOf = ({ steps }: { steps: readonly { key: string; status: string }[] }) =>
  Object.fromEntries(steps.map(({ key, status }) => [key, status]))

test('welcome series made with the SDK go on after kill -9: opened or not, each email is sent once', async () => {
  const { relay, service, start } = await startWorld()
  const resend = sdkOf(service)
  const templates = { hello: await publishedTemplate(resend, 'Hello'), more: await publishedTemplate(resend, 'More') }
  const { id: segmentId } = await dataOf(resend.segments.create({ name: 'Welcomed' }))
  const begin = async (email: string, eventName: string, timeout: string) => {
    const series = welcomeSeries({ eventName, timeout, templates, segmentId })
    const { id } = await dataOf(resend.automations.create(series))
    await dataOf(resend.events.send({ event: eventName, email, payload: { plan: 'pro' } }))
    return id
  }
  const patient = await begin(READER, 'reader.created', '30 days')
  const brief = await begin(SLEEPER, 'sleeper.created', '2 seconds')
  await eventually(async () => {
    const { data } = await dataOf(resend.emails.list())
    return data.length === 2 && data.every(({ last_event }) => last_event === 'delivered')
  })
  await service.kill()

  const next = await start()
  const again = sdkOf(next)
  // Again and again, since an open within a second of the delivery does not count.
  const read = await endedRun(again, patient, () => open(next, relay, READER))
  const unread = await endedRun(again, brief)
  await relay.received(3)

  const done = { start: 'completed', hello: 'completed', opened: 'completed', join: 'completed' }
  expect(statesOf(read)).toEqual({ ...done, is_pro: 'completed', more: 'completed' })
  expect(statesOf(unread)).toEqual({ ...done, is_pro: 'skipped', more: 'skipped' })
  expect(arrived(relay)).toEqual([`Hello to ${READER}`, `Hello to ${SLEEPER}`, `More to ${READER}`])
  expect((await dataOf(again.emails.list())).data).toHaveLength(3)
  const members = (await dataOf(again.contacts.list({ segmentId }))).data.map(({ email }) => email)
  expect(members.sort()).toEqual([READER, SLEEPER])
})
