import { expect, test } from 'vitest'
import { isForbiddenAddress, isPublicAddress } from './public-address.ts'

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '172.15.255.255',
  '172.32.0.1',
  '100.63.255.255',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:82b::200e',
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

test.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  'fe80::1',
  'fe80::1%eth0',
  'fc00::1',
  'fd12:3456::1',
  'ff02::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '3fff::1',
  '100::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '0:0:0:0:0:FFFF:0A00:0001',
  '::ffff:0:1',
  '64:ff9b::7f00:1',
  '64:ff9b::10.0.0.1',
  '64:ff9b::1',
  '64:ff9b:1::808:808',
  'localhost',
  '2130706433',
  '',
])('%s is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

test.each([
  '169.254.169.254',
  '169.254.0.1',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fe80::1',
  'febf::1',
  'fe80::1%eth0',
  'fd00:ec2::254',
  'fd20:ce::254',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '0:0:0:0:0:FFFF:A9FE:A9FE',
  '::169.254.169.254',
  '::ffff:0:169.254.169.254',
  '64:ff9b::169.254.169.254',
  '64:ff9b:1::169.254.169.254',
  '64:ff9b:1:2:3:4:a9fe:1',
  '2002:a9fe:a9fe::1',
  'localhost',
  '',
])('%s is forbidden whatever is allowed', (address) => {
  expect(isForbiddenAddress(address)).toBe(true)
})

test.each([
  '127.0.0.1',
  '10.0.0.1',
  '192.168.1.1',
  '169.253.255.255',
  '1.1.1.1',
  '::1',
  '::',
  '::ffff:127.0.0.1',
  'fd12:3456::1',
  'fec0::1',
  '2606:4700:4700::1111',
  '2002:7f00:1::',
  '64:ff9b::10.0.0.1',
])('%s is a matter of the settings', (address) => {
  expect(isForbiddenAddress(address)).toBe(false)
})
