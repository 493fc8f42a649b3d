import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { assetPath, readPlain } from '../../platform/assets.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/**
 * Nothing from other hosts, no script but our files. Inline styles are allowed because a mail in its frame inherits this policy,
 * and mails are made of inline styles; the frame itself runs nothing.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface Packed {
  readonly encoding: 'br' | 'gzip'
  readonly bytes: Buffer
}

interface File {
  readonly type: string
  readonly plain: Buffer
  readonly packed: readonly Packed[]
}

/** The built program: some forty files, a megabyte, read into memory when the first of them is asked for. */
export class DashboardFiles {
  #files: ReadonlyMap<string, File> | null = null

  /** The file at this path; for any other path the page itself, whose router knows what is meant. */
  send(path: string, request: FastifyRequest, reply: FastifyReply) {
    this.#files ??= readFiles()
    const file = this.#files.get(path)
    if (!file && path.startsWith('assets/')) return reply.status(404).type('text/plain').send('Not found.\n')
    const { type, plain, packed } = file ?? this.#files.get('index.html')!
    const isNamedByContent = path.startsWith('assets/')
    reply
      .type(type)
      .header('cache-control', isNamedByContent ? 'public, max-age=31536000, immutable' : 'no-cache')
      .header('x-content-type-options', 'nosniff')
      // Nothing to other hosts; our own must see where a form comes from.
      .header('referrer-policy', 'same-origin')
      .header('vary', 'accept-encoding')
    if (type.startsWith('text/html')) reply.header('content-security-policy', PAGE_POLICY)
    const accepted = String(request.headers['accept-encoding'])
    const best = packed.find(({ encoding }) => new RegExp(`\\b${encoding}\\b`).test(accepted))
    return best ? reply.header('content-encoding', best.encoding).send(best.bytes) : reply.send(plain)
  }
}

/** Made by scripts/build-dashboard.mjs, which also packs what is worth packing. */
function readFiles(): ReadonlyMap<string, File> {
  const folder = assetPath('dist-dashboard')
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replace(/\.br$/, ''))
  const names = [...new Set(all)].filter((name) => extname(name) in TYPES)
  return new Map(
    names.map((name) => {
      const path = join(folder, name)
      return [
        name.replaceAll('\\', '/'),
        { type: TYPES[extname(name)]!, plain: readPlain(path), packed: packedOf(path) },
      ]
    }),
  )
}

/** The smallest first. */
const packedOf = (path: string): Packed[] =>
  (['br', 'gzip'] as const).flatMap((encoding) => {
    const file = `${path}.${encoding === 'br' ? 'br' : 'gz'}`
    return existsSync(file) ? [{ encoding, bytes: readFileSync(file) }] : []
  })
