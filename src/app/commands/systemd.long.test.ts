import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readableLog } from '../../../test/harness/log.ts'
import { serviceManager } from './systemd.ts'

function folder() {
  const made = mkdtempSync(join(tmpdir(), 'postwren-systemd-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** In the place of systemd's tool: writes down how it is called. */
function fakeTool(then = '') {
  const path = folder()
  const calls = join(path, 'calls')
  writeFileSync(
    join(path, 'systemd-notify'),
    `#!/bin/sh\nfor word in "$@"; do echo "$word" >> '${calls}'; done\necho "$NOTIFY_SOCKET" >> '${calls}'\n${then}`,
  )
  chmodSync(join(path, 'systemd-notify'), 0o755)
  return { PATH: `${path}:/usr/bin:/bin`, calls: () => readFileSync(calls, 'utf8').trim().split('\n') }
}

test('without systemd nobody is told', async () => {
  const { log, text } = readableLog()
  const manager = serviceManager({ PATH: '/nowhere' }, log)

  await manager.ready('Ready')
  await manager.stopping()

  expect(text()).toBe('[]')
})

test('systemd is told by its own tool, without a shell', async () => {
  const { log, text } = readableLog()
  const { PATH, calls } = fakeTool()
  const manager = serviceManager({ PATH, NOTIFY_SOCKET: '/run/systemd/notify' }, log)

  await manager.ready('Ready: $(id) `id`; api')
  await manager.stopping()

  expect(calls()).toEqual([
    ...['READY=1', 'STATUS=Ready: $(id) `id`; api', '/run/systemd/notify'],
    ...['STOPPING=1', 'STATUS=Stopping', '/run/systemd/notify'],
  ])
  expect(text()).toBe('[]')
})

test.each([
  ['is not installed', undefined],
  ['failed (1)', 'exit 1'],
])('a tool that %s is one warning', async (words, then) => {
  const { log, saying } = readableLog()
  const PATH = then === undefined ? '/nowhere' : fakeTool(then).PATH
  const manager = serviceManager({ PATH, NOTIFY_SOCKET: '/run/systemd/notify' }, log)

  await manager.ready('Ready')
  await manager.stopping()

  const message = `service: systemd-notify ${words}; systemd does not learn whether the service is ready`
  expect(saying(message)).toHaveLength(1)
})

const hasTools = ['systemd-notify', 'python3'].every((tool) => spawnSync(tool, ['--version']).status === 0)

/** Takes datagrams as systemd does, prints them, and closes what came along, which the tool waits for. */
const LISTENER = `
import socket, sys, os
server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
server.bind(sys.argv[1])
print('listening', flush=True)
while True:
    message, files, _flags, _address = socket.recv_fds(server, 4096, 8)
    for file in files: os.close(file)
    print(message.decode().replace(chr(10), ' '), flush=True)
`

test.skipIf(!hasTools)(
  'what the real tool says arrives where systemd listens (needs systemd-notify and python3)',
  async () => {
    const socket = join(folder(), 'notify')
    const listener = spawn('python3', ['-c', LISTENER, socket], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void listener.kill())
    let heard = ''
    const next = (text: string) =>
      new Promise<void>((resolve) => {
        const look = () => heard.includes(text) && resolve()
        listener.stdout.on('data', look)
        look()
      })
    listener.stdout.setEncoding('utf8').on('data', (text) => {
      heard += text
    })
    await next('listening')
    const { log } = readableLog()
    const manager = serviceManager({ PATH: process.env.PATH, NOTIFY_SOCKET: socket }, log)

    await manager.ready('Ready: api')
    await manager.stopping()
    await next('STOPPING=1')

    expect(heard).toMatch(/READY=1 STATUS=Ready: api/)
  },
)
