import { freshAddress, NOBODY, until } from '../world.ts'
import type { CliTrial } from './trial.ts'

const FROM = ['--from', 'Acme <me@acme.example>']
const HELLO = [...FROM, '--subject', 'Hello']

export async function tryEmails(cli: CliTrial) {
  await send(cli)
  await schedule(cli)
  await receive(cli)
  await broadcast(cli)
}

async function send(cli: CliTrial) {
  const to = ['--to', freshAddress('you')]
  const { id } = (await cli.run('emails send', [...HELLO, ...to, '--text', 'Hi'])) ?? {}
  await cli.run('emails send', [
    ...[...HELLO, ...to, '--html', '<p>Hi</p>', '--cc', freshAddress('cc'), '--bcc', freshAddress('bcc')],
    ...['--reply-to', 'help@acme.example', '--headers', 'X-Entity-Ref-ID=123', '--tags', 'kind=greeting'],
    ...['--idempotency-key', `cli-${id}`],
  ])
  await cli.run('emails send', [...HELLO, ...to, '--text-file', '-'], { id: /-/ }, 'from a pipe')
  const files = await cli.run('emails send', [
    ...HELLO,
    ...to,
    '--html',
    '<img src="cid:x">',
    '--attachment',
    'package.json;cid=x;type=text/plain',
  ])
  await cli.read('emails get', [id], { object: 'email', id, to: Array.isArray })
  await cli.read('emails list', [], { object: 'list' })
  await cli.read('emails list', ['--limit', '2', '--after', id], { object: 'list' })
  const attached = await cli.read('emails attachments', [files?.id], { data: (all: unknown[]) => all.length === 1 })
  await cli.read('emails attachment', [files?.id, attached?.data[0]?.id], { object: 'attachment' })
  await cli.read('emails share', [id], { url: /^http/ })
  await cli.read('emails share', [id, '--expires-in', '10m'], { url: /^http/ })
  await cli.read('emails metrics', [], { object: 'metrics' })
  await cli.read('emails metrics', ['--dimensions', 'period', '--granularity', 'hourly', '--metrics', 'sent,delivered'])
  await cli.read('emails metrics', ['--dimensions', 'domain'])
  const batch = JSON.stringify([{ from: 'me@acme.example', to: ['a@example.com'], subject: 'One', text: '1' }])
  await cli.run('emails batch', ['--file', '-'], {}, batch)
  await cli.run(
    'emails batch',
    ['--file', '-', '--batch-validation', 'permissive', '--idempotency-key', `b-${id}`],
    {},
    batch,
  )
  await cli.refuse('emails get', [NOBODY], /Email not found/)
  await cli.refuse('emails send', [...HELLO, '--to', 'nobody', '--text', 'Hi'], /Invalid `to` field/)
  await cli.refuse('emails list', ['--after', 'x'], /./)
}

async function schedule(cli: CliTrial) {
  const { id } =
    (await cli.run('emails send', [
      ...HELLO,
      '--to',
      freshAddress('later'),
      '--text',
      'Hi',
      '--scheduled-at',
      'in 1 hour',
    ])) ?? {}
  await cli.run('emails update', [id, '--scheduled-at', new Date(Date.now() + 86_400_000).toISOString()], { id })
  await cli.read('emails get', [id], { last_event: 'scheduled' })
  await cli.run('emails cancel', [id], { object: 'email', id })
  await cli.refuse('emails cancel', [NOBODY], /Email not found/)
}

async function receive(cli: CliTrial) {
  const subject = await cli.world.receive()
  const list = await cli.read('emails receiving list', ['--limit', '1'], { data: { 0: { subject } } })
  const id = list?.data[0]?.id
  await cli.read('emails receiving get', [id], { id, subject, raw: { download_url: /^http/ } })
  const files = await cli.read('emails receiving attachments', [id], { data: (all: unknown[]) => all.length === 2 })
  await cli.read('emails receiving attachment', [id, files?.data[0]?.id], { object: 'attachment' })
  await cli.run('emails receiving forward', [id, '--to', freshAddress('bob'), '--from', 'me@acme.example'], { id: /-/ })
  await cli.read('emails share', [id], { url: /^http/ })
  await cli.listen('emails receiving listen', ['--interval', '2'], () => cli.world.receive(), /ada@elsewhere\.example/)
  await cli.refuse('emails receiving get', [NOBODY], /Email not found/)
}

async function broadcast(cli: CliTrial) {
  const segment = await cli.run('segments create', ['--name', 'Readers'])
  await cli.world.ask('POST', '/contacts', { email: freshAddress('reader'), segments: [segment?.id] })
  const letter = [...FROM, '--subject', 'News', '--segment-id', segment?.id, '--html', '<p>News</p>']
  const { id } =
    (await cli.run('broadcasts create', [
      ...letter,
      '--name',
      'May',
      '--reply-to',
      'help@acme.example',
      '--preview-text',
      'Psst',
    ])) ?? {}
  await cli.read('broadcasts get', [id], { name: 'May', status: 'draft', segment_id: segment?.id })
  await cli.run('broadcasts update', [id, '--name', 'June', '--subject', 'Other'], { id })
  await cli.read('broadcasts list', [], { object: 'list' })
  const copy = await cli.run('broadcasts duplicate', [id], { object: 'broadcast' })
  await cli.run('broadcasts delete', [copy?.id, '--yes'], { deleted: true })
  await cli.run('broadcasts send', [id, '--scheduled-at', 'in 1 hour'], { id })
  await cli.run('broadcasts cancel', [id], { id })
  await cli.run('broadcasts send', [id], { id })
  await until(async () => (await cli.world.ask('GET', `/broadcasts/${id}`)).status === 'sent')
  for (const type of ['sent', 'delivered', 'opened', 'clicked', 'bounced'])
    await cli.read('broadcasts recipients', [id, '--type', type], { object: 'list' })
  await cli.read('broadcasts clicked-links', [id], { object: 'list' })
  await cli.run('broadcasts create', [...letter, '--send'], { id: /-/ })
  await cli.refuse('broadcasts get', [NOBODY], /Broadcast not found/)
}
