import { freePort } from '../../../bench/service.ts'
import { fresh, NOBODY, until } from '../world.ts'
import type { CliTrial } from './trial.ts'

export async function trySettings(cli: CliTrial) {
  await login(cli)
  await domains(cli)
  await keys(cli)
  await grants(cli)
  await templates(cli)
  await webhooks(cli)
  await logs(cli)
}

async function login(cli: CliTrial) {
  const { token, ask } = cli.world
  await cli.run('login', ['--key', token], { success: true })
  await cli.run('auth login', ['--key', token, '--profile', 'second'], { success: true })
  const sender = await ask('POST', '/api-keys', { name: 'Sender', permission: 'sending_access' })
  await cli.run('login', ['--key', sender.token, '--profile', 'sender'], { success: true })
  await cli.refuse('login', ['--key', 're_unknown_to_everybody', '--profile', 'nobody'], /./)
  await cli.read('whoami')
  await cli.read('auth list')
  await cli.run('auth switch', ['second'])
  await cli.run('auth rename', ['second', 'third'])
  await cli.run('auth remove', ['third'])
  await cli.read('doctor', [], {
    checks: (all: { name: string; status: string }[]) => all.every(({ status }) => status !== 'fail'),
  })
  await cli.run('auth logout', ['--profile', 'sender'])
  await cli.run('logout', [])
}

async function domains(cli: CliTrial) {
  const name = `${fresh('cli')}.example`
  const { id } =
    (await cli.run('domains create', ['--name', name, '--region', 'eu-west-1', '--receiving', '--tls', 'enforced'])) ??
    {}
  await cli.read('domains get', [id], { object: 'domain', name, records: Array.isArray })
  await cli.read('domains list', [], { data: { 0: { id, name } } })
  await cli.run('domains update', [id, '--open-tracking', '--click-tracking', '--tracking-subdomain', 'links'], { id })
  await cli.run('domains verify', [id], { id })
  await cli.read('domains get', [id], { status: 'pending' })
  await cli.refuse('domains create', ['--name', name], /has been registered already/)
  await cli.run('domains delete', [id, '--yes'], { deleted: true })
  await cli.refuse('domains get', [id], /Domain not found/)
  const claimed = `${fresh('claimed')}.example`
  await cli.world.ask('POST', '/domains', { name: claimed }, cli.world.neighbour)
  const claim = await cli.run('domains claim create', ['--name', claimed], { object: 'domain_claim' })
  await cli.read('domains claim get', [claim?.domain_id], { id: claim?.id })
  await cli.run('domains claim verify', [claim?.domain_id], { id: claim?.id })
}

async function keys(cli: CliTrial) {
  const { id } =
    (await cli.run('api-keys create', ['--name', 'Server', '--permission', 'sending_access'], { token: /^re_/ })) ?? {}
  await cli.read('api-keys list', [], { object: 'list' })
  await cli.run('api-keys update', [id, '--name', 'Other'], { id })
  await cli.run('api-keys delete', [id, '--yes'], { deleted: true })
  await cli.refuse('api-keys delete', [NOBODY, '--yes'], /API key not found/)
}

/** What programs people let in needs people: `src/features/oauth` has the rest. */
async function grants(cli: CliTrial) {
  await cli.read('oauth-grants list', [], { object: 'list', data: Array.isArray })
  await cli.refuse('oauth-grants revoke', [NOBODY, '--yes'], /OAuth grant not found/)
}

async function templates(cli: CliTrial) {
  const alias = fresh('order')
  const words = ['--name', 'Order', '--html', '<p>{{{NAME}}}</p>', '--subject', 'Hi', '--from', 'shop@acme.example']
  const { id } = (await cli.run('templates create', [...words, '--alias', alias, '--var', 'NAME:string:you'])) ?? {}
  await cli.read('templates get', [alias], { id, status: 'draft' })
  await cli.run('templates update', [id, '--subject', 'Hello', '--text', 'Hi {{{NAME}}}'], { id })
  await cli.run('templates publish', [id], { id })
  await cli.read('templates get', [id], { status: 'published' })
  await cli.read('templates list', [], { object: 'list' })
  await cli.run('emails send', ['--template', alias, '--to', 'you@example.com', '--var', 'NAME=Ada'], { id: /-/ })
  const copy = await cli.run('templates duplicate', [id])
  await cli.run('templates delete', [copy?.id, '--yes'], { deleted: true })
  await cli.refuse('templates get', [NOBODY], /Template not found/)
}

async function webhooks(cli: CliTrial) {
  const { hookUrl, ask } = cli.world
  const made = await cli.run('webhooks create', ['--endpoint', hookUrl, '--events', 'all'], {
    signing_secret: /^whsec_/,
  })
  const id = made?.id
  const topic = await ask('POST', '/suppressions', { email: `${fresh('hook')}@example.com` })
  await until(async () => (await ask('GET', `/webhooks/${id}/events`)).data[0]?.status === 'success')
  await cli.read('webhooks get', [id], { id, endpoint: hookUrl })
  await cli.read('webhooks list', [], { data: { 0: { id } } })
  const log = await cli.read('webhooks events list', [id], { data: { 0: { type: 'suppression.added' } } })
  const event = log?.data[0]?.id
  await cli.read('webhooks events get', [id, event], { id: event, payload: { data: { id: topic.id } } })
  await cli.read('webhooks events attempts', [id, event], { data: { 0: { http_status_code: 200 } } })
  await cli.run('webhooks events replay', [id, event], { id: event })
  await cli.run('webhooks rotate-signing-secret', [id], { signing_secret: /^whsec_/ })
  await cli.run('webhooks update', [id, '--status', 'disabled'], { id })
  await cli.run('webhooks delete', [id, '--yes'], { deleted: true })
  await cli.refuse('webhooks get', [id], /Webhook not found/)
  const port = String(await freePort())
  const words = ['--url', `http://127.0.0.1:${port}`, '--port', port, '--forward-to', hookUrl]
  const happen = async () => {
    await until(async () =>
      (await ask('GET', '/webhooks')).data.some((one: { endpoint: string }) => one.endpoint.includes(port)),
    )
    await ask('POST', '/suppressions', { email: `${fresh('hook')}@example.com` })
  }
  await cli.listen('webhooks listen', words, happen, /suppression\.added/)
}

async function logs(cli: CliTrial) {
  const log = await cli.read('logs list', ['--limit', '3'], { object: 'list' })
  await cli.read('logs get', [log?.data[0]?.id], { object: 'log' })
  await cli.refuse('logs get', [NOBODY], /Log not found/)
}
