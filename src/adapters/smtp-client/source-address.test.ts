import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { describe, expect, onTestFinished, test } from 'vitest'
import { replyOf, startSender } from '../../../test/harness/smtp-sender.ts'

/** A server that remembers where its clients come from. */
async function startServer(address: string) {
  const clients: string[] = []
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onConnect(session, done) {
      clients.push(session.remoteAddress)
      done()
    },
    onData(stream, _session, done) {
      stream.resume().on('end', done)
    },
  })
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(resolve)))
  const { port } = server.server.address() as AddressInfo
  return { clients, host: { host: 'mail.test', address, port, secure: false } }
}

// Elsewhere than on Linux only 127.0.0.1 is an address of the machine.
describe.runIf(process.platform === 'linux')('mail is sent from', () => {
  test('the address that the settings name', async () => {
    const server = await startServer('127.0.0.1')
    const { send, to } = startSender({ sourceAddresses: { v4: '127.0.0.2' } })

    expect(await send(to(server))).toMatchObject([{ kind: 'delivered' }])
    expect(server.clients).toEqual(['127.0.0.2'])
  })

  test('the one of the kind of the server, and to no server of another kind', async () => {
    const v4 = await startServer('127.0.0.1')
    const v6 = { host: { ...v4.host, host: 'six.test', address: '::1' } }
    const { send, to } = startSender({ sourceAddresses: { v4: '127.0.0.3' } })

    const both = await send(to([v6, v4], { name: 'both.example' }))
    const [none] = await send(to(v6, { name: 'six.example' }))

    expect(both).toMatchObject([{ kind: 'delivered' }])
    expect(v4.clients).toEqual(['127.0.0.3'])
    expect(none).toMatchObject({ kind: 'deferred' })
    expect(replyOf(none)).toContain('POSTWREN_SOURCE_ADDRESS has no address of this kind')
  })

  test('nowhere, when the address is not one of this machine: the mail waits', async () => {
    const server = await startServer('127.0.0.1')
    const { send, to } = startSender({ sourceAddresses: { v4: '192.0.2.1' } })

    expect(await send(to(server))).toMatchObject([{ kind: 'deferred' }])
    expect(server.clients).toEqual([])
  })
})
