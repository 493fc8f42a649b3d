import { createHash } from 'node:crypto'
import type { Steps } from '../../mail/steps.ts'
import type { Checksums } from './shapes.ts'

/** All three of them take some 3 ms for as much. */
const SLICE = 512 * 1024

export function* checksumsOf(content: Buffer): Steps<Checksums> {
  const hashes = { MD5: createHash('md5'), SHA1: createHash('sha1'), SHA256: createHash('sha256') }
  for (let at = 0; at < content.length; at += SLICE) {
    for (const hash of Object.values(hashes)) hash.update(content.subarray(at, at + SLICE))
    yield
  }
  return { MD5: hashes.MD5.digest('hex'), SHA1: hashes.SHA1.digest('hex'), SHA256: hashes.SHA256.digest('hex') }
}
