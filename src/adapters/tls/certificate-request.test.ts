import { spawnSync } from 'node:child_process'
import { createHash, createPrivateKey, X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { certificateRequest, challengeCertificate } from './certificate-request.ts'

test('openssl reads a request, and finds its names and a good signature', () => {
  const { request, key } = certificateRequest(['a.example.com', 'b.example.com'])

  const read = spawnSync('openssl', ['req', '-inform', 'der', '-noout', '-text', '-verify'], { input: request })

  const text = `${read.stdout}${read.stderr}`
  expect(text).toContain('DNS:a.example.com, DNS:b.example.com')
  expect(text).toMatch(/verify OK/i)
  expect(createPrivateKey(key).asymmetricKeyType).toBe('ec')
})

test('what an authority is shown has the name and the digest of the answer', () => {
  const { cert, key } = challengeCertificate('a.example.com', 'token.thumbprint', new Date('2026-11-18'))

  const read = new X509Certificate(cert)
  expect(read.checkHost('a.example.com')).toBe('a.example.com')
  expect(read.checkPrivateKey(createPrivateKey(key))).toBe(true)
  const digest = createHash('sha256').update('token.thumbprint').digest()
  // The extension of RFC 8737, critical, and in it the digest.
  const extension = Buffer.concat([Buffer.from('06082b0601050507011f0101ff04220420', 'hex'), digest])
  expect(read.raw.includes(extension)).toBe(true)
})
