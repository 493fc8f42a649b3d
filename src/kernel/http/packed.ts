import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** In the order of preference. */
const ENCODINGS = ['br', 'gzip'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** Content negotiation; undefined: not compressed. */
export const encodingFor = (request: FastifyRequest, available: readonly Encoding[]): Encoding | undefined => {
  const accepted = String(request.headers['accept-encoding'] ?? '')
    .split(',')
    .map((one) => one.trim().toLowerCase())
    .filter((one) => !/;\s*q=0(\.0*)?$/.test(one))
    .map((one) => one.split(';')[0])
  return ENCODINGS.find((one) => available.includes(one) && accepted.includes(one))
}

/** Sets the ETag, and returns whether it matches `If-None-Match`: then the answer is 304 without a body. */
export function isUnchanged(request: FastifyRequest, reply: FastifyReply, etag: string): boolean {
  reply.header('etag', etag).header('vary', 'accept-encoding')
  const known = String(request.headers['if-none-match'] ?? '')
  return known.split(',').some((one) => one.trim().replace(/^W\//, '') === etag)
}

export const contentHash = (content: string | Buffer) =>
  createHash('sha256').update(content).digest('base64url').slice(0, 16)
