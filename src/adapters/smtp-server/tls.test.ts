import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { connect, type TLSSocket } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { TestClient } from '../../../test/harness/smtp-client.ts'
import { PAIR, startListener } from '../../../test/harness/smtp-listener.ts'
import type { Certificate } from '../tls/certificate.ts'
import { selfSigned } from '../tls/self-signed.ts'

function makePair(host: string): Certificate {
  const keys = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const [from, until] = [new Date(Date.now() - 86_400_000), new Date(Date.now() + 86_400_000)]
  return {
    key: String(keys.privateKey.export({ type: 'pkcs8', format: 'pem' })),
    cert: selfSigned({ host, ...keys, from, until }),
  }
}

const shown = (client: TestClient) => (client.socket as TLSSocket).getPeerX509Certificate()?.subject

test('mail comes in encrypted, with STARTTLS and with TLS from the first byte', async () => {
  const { port, tlsPort, taken } = await startListener()
  const upgraded = await TestClient.ready(port)
  await upgraded.startTls()
  await upgraded.ask('EHLO client.test')
  const encrypted = TestClient.encrypted(tlsPort)
  expect(await encrypted.reply()).toBe('220 mx.test ESMTP')
  expect(await encrypted.ask('EHLO client.test')).not.toContain('STARTTLS')

  expect(await upgraded.deliver('One')).toMatch(/^250 /)
  expect(await encrypted.deliver('Two')).toMatch(/^250 /)
  expect(await upgraded.ask('STARTTLS')).toMatch(/^503 /)

  expect(taken.map(({ peer }) => peer.isEncrypted)).toEqual([true, true])
})

test('a renewed certificate is shown from the next handshake on', async () => {
  let pair = PAIR
  const { port, tlsPort } = await startListener({ certificate: () => pair })
  const before = await TestClient.ready(port)
  await before.startTls()

  pair = makePair('renewed.test')
  const upgraded = await TestClient.ready(port)
  await upgraded.startTls()
  const encrypted = TestClient.encrypted(tlsPort)
  await encrypted.reply()

  expect(shown(before)).toBe(new X509Certificate(PAIR.cert).subject)
  expect(shown(upgraded)).toBe('CN=renewed.test')
  expect(shown(encrypted)).toBe('CN=renewed.test')
})

test('a client that asks for a name sees its certificate, and everybody else the common one', async () => {
  const named = makePair('named.test')
  const { tlsPort } = await startListener({
    certificateFor: async (name) => (name === 'named.test' ? named : null),
  })
  const subjectFor = (servername: string) =>
    new Promise((resolve) => {
      const socket = connect({ port: tlsPort, host: '127.0.0.1', rejectUnauthorized: false, servername })
      onTestFinished(() => void socket.destroy())
      socket.once('secureConnect', () => resolve(socket.getPeerX509Certificate()?.subject))
    })

  expect(await subjectFor('named.test')).toBe('CN=named.test')
  expect(await subjectFor('other.test')).toBe(new X509Certificate(PAIR.cert).subject)
})

test('nobody gets an encryption that is none', async () => {
  const { tlsPort } = await startListener()
  const old = connect({
    port: tlsPort,
    host: '127.0.0.1',
    rejectUnauthorized: false,
    maxVersion: 'TLSv1.1',
    minVersion: 'TLSv1',
  })
  onTestFinished(() => void old.destroy())

  await expect(
    new Promise((resolve, reject) => old.once('secureConnect', resolve).once('error', reject)),
  ).rejects.toThrow()
})

test('noise instead of a handshake harms nobody else', async () => {
  const { port, tlsPort, listener } = await startListener()
  const noisy = await TestClient.ready(port)
  await noisy.ask('STARTTLS')
  noisy.write('EHLO client.test\r\n')
  const direct = TestClient.plain(tlsPort)
  direct.write('EHLO client.test\r\n')

  await Promise.all([noisy.rest(), direct.rest()])

  await expect.poll(() => listener.load.sessions).toBe(0)
  expect(await (await TestClient.ready(port)).deliver('Hi')).toMatch(/^250 /)
})
