import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The best first. */
const ENCODINGS = ['br', 'gzip'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** Which of these the client takes; undefined: it gets the plain text. */
export const encodingFor = (request: FastifyRequest, available: readonly Encoding[]): Encoding | undefined => {
  const accepted = String(request.headers['accept-encoding'] ?? '')
    .split(',')
    .map((one) => one.trim().toLowerCase())
    .filter((one) => !/;\s*q=0(\.0*)?$/.test(one))
    .map((one) => one.split(';')[0])
  return ENCODINGS.find((one) => available.includes(one) && accepted.includes(one))
}

/** Says what a content is named by, and whether the client has it already: then the answer is 304, and there is nothing more to send. */
export function isUnchanged(request: FastifyRequest, reply: FastifyReply, etag: string): boolean {
  reply.header('etag', etag).header('vary', 'accept-encoding')
  const known = String(request.headers['if-none-match'] ?? '')
  return known.split(',').some((one) => one.trim().replace(/^W\//, '') === etag)
}

export const contentHash = (content: string | Buffer) =>
  createHash('sha256').update(content).digest('base64url').slice(0, 16)
