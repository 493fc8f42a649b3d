import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MAX_HEADER_BYTES, readProxyHeader } from './proxy-header.ts'

const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')
const V4 = Buffer.from([203, 0, 113, 9, 10, 0, 0, 1, 0x30, 0x39, 0, 25])
const V6 = Buffer.concat([
  Buffer.from('20010db8000000000000000000000007', 'hex'),
  Buffer.from('20010db8000000000000000000000001', 'hex'),
  Buffer.from([0x30, 0x39, 0, 25]),
])

function binary(command: number, family: number, more: Buffer, length = more.length) {
  const head = Buffer.from([command, family, 0, 0])
  head.writeUInt16BE(length, 2)
  return Buffer.concat([SIGNATURE, head, more])
}

const line = (text: string) => Buffer.from(`${text}\r\n`, 'latin1')

test.each([
  ['TCP over IPv4', line('PROXY TCP4 203.0.113.9 10.0.0.1 12345 25'), '203.0.113.9'],
  ['TCP over IPv6', line('PROXY TCP6 2001:DB8:0::7 2001:db8::1 12345 25'), '2001:db8::7'],
  ['IPv4 in IPv6', line('PROXY TCP6 ::ffff:203.0.113.9 ::1 12345 25'), '203.0.113.9'],
  ['unknown', line('PROXY UNKNOWN'), null],
  ['unknown with anything', line('PROXY UNKNOWN ffff:f 1 2'), null],
  ['version 2, IPv4', binary(0x21, 0x11, V4), '203.0.113.9'],
  ['version 2, IPv6', binary(0x21, 0x21, V6), '2001:db8::7'],
  [
    'version 2 with more behind the addresses',
    binary(0x21, 0x11, Buffer.concat([V4, Buffer.alloc(300)])),
    '203.0.113.9',
  ],
  ['version 2, the proxy itself', binary(0x20, 0x00, Buffer.alloc(0)), null],
  ['version 2, the proxy itself with addresses', binary(0x20, 0x11, V4), null],
  ['version 2, unspecified', binary(0x21, 0x00, Buffer.alloc(5)), null],
])('%s is read, however it is cut up, and nothing behind it', (_name, header, address) => {
  const bytes = Buffer.concat([header, Buffer.from('EHLO client.test\r\n')])
  const expected = { kind: 'header', bytes: header.length, address }

  for (let length = 0; length < header.length; length++)
    expect(readProxyHeader(bytes.subarray(0, length))).toEqual({ kind: 'incomplete' })
  expect(readProxyHeader(header)).toEqual(expected)
  expect(readProxyHeader(bytes)).toEqual(expected)
})

test.each([
  ['another word', Buffer.from('EHLO x\r\n')],
  ['a client that speaks TLS', Buffer.from([0x16, 3, 1])],
  ['a protocol that is none', line('PROXY UDP4 203.0.113.9 10.0.0.1 1 2')],
  ['an address of the other family', line('PROXY TCP4 ::1 10.0.0.1 1 2')],
  ['half an address', line('PROXY TCP4 203.0.113 10.0.0.1 1 2')],
  ['a zone', line('PROXY TCP6 fe80::1%eth0 ::1 1 2')],
  ['no such port', line('PROXY TCP4 203.0.113.9 10.0.0.1 65536 25')],
  ['two spaces', line('PROXY  TCP4 203.0.113.9 10.0.0.1 1 25')],
  ['a line without end', Buffer.from(`PROXY UNKNOWN ${'x'.repeat(200)}`)],
  ['a line end alone', Buffer.from('PROXY UNKNOWN\nPROXY TCP4 203.0.113.9 10.0.0.1 1 25\r\n')],
  ['another version', binary(0x31, 0x11, V4)],
  ['another command', binary(0x22, 0x11, V4)],
  ['UDP', binary(0x21, 0x12, V4)],
  ['a Unix socket', binary(0x21, 0x31, Buffer.alloc(216))],
  ['too few bytes for its addresses', binary(0x21, 0x11, V4.subarray(0, 11))],
  ['more than anybody has to say', binary(0x21, 0x11, Buffer.alloc(0), 65_535)],
])('%s is refused', (_name, bytes) => {
  expect(readProxyHeader(bytes).kind).toBe('invalid')
})

test('whatever comes is decided before it is too long, and never throws', () => {
  const beginning = fc.constantFrom(Buffer.alloc(0), SIGNATURE, Buffer.from('PROXY '), Buffer.from('PROXY TCP6 '))
  fc.assert(
    fc.property(beginning, fc.uint8Array({ maxLength: 300 }), (begin, rest) => {
      const bytes = Buffer.concat([begin, rest])
      const header = readProxyHeader(bytes)
      if (header.kind === 'header') expect(header.bytes).toBeLessThanOrEqual(bytes.length)
      expect(readProxyHeader(Buffer.concat([bytes, Buffer.alloc(MAX_HEADER_BYTES)])).kind).not.toBe('incomplete')
    }),
  )
})
