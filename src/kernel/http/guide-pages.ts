import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { assetPath } from '../../platform/assets.ts'
import { contentHash, type Encoding, encodingFor, isUnchanged } from './packed.ts'
import { Problem } from './problem.ts'

// The guide at /docs/guide: the files that scripts/build-guide.mjs has made. A request names one of them, and nothing else of the disk.

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
}

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'"

/** By what follows `/docs/guide/`: the file, and its compressed copies. */
type GuideFiles = ReadonlyMap<string, { readonly path: string; readonly encodings: readonly Encoding[] }>

export function addGuideRoutes(app: FastifyInstance) {
  let files: GuideFiles | undefined
  const send = (request: FastifyRequest, reply: FastifyReply) => {
    files ??= listFiles(assetPath('dist-guide'))
    const [path = ''] = request.url.split('?')
    return sendFile(request, reply, files.get(nameOf(path)))
  }
  app.get('/docs/guide', send)
  app.get('/docs/guide/*', send)
}

/** Pages are known without their ending, as links on GitHub become them. */
const nameOf = (path: string) =>
  path
    .slice('/docs/guide/'.length)
    .replace(/\/$/, '')
    .replace(/\.(md|html)$/, '') || 'index'

function listFiles(folder: string): GuideFiles {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'))
  const isThere = new Set(names)
  const files = names.filter((name) => extname(name) in TYPES)
  return new Map(
    files.map((name) => {
      const encodings = (['br', 'gzip'] as const).filter((encoding) => isThere.has(`${name}.${endOf(encoding)}`))
      return [name.replace(/^pages\/(.+)\.html$/, '$1'), { path: join(folder, name), encodings }]
    }),
  )
}

const endOf = (encoding: Encoding) => (encoding === 'gzip' ? 'gz' : encoding)

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: { readonly path: string; readonly encodings: readonly Encoding[] } | undefined,
) {
  if (!file) throw new Problem('not_found', 'Page not found. The guide begins at /docs/guide.')
  const encoding = encodingFor(request, file.encodings)
  const content = await readFile(encoding ? `${file.path}.${endOf(encoding)}` : file.path)
  reply
    .header('content-security-policy', CONTENT_SECURITY_POLICY)
    .header('x-content-type-options', 'nosniff')
    .header('cache-control', 'no-cache')
    .type(TYPES[extname(file.path)]!)
  if (isUnchanged(request, reply, `"${contentHash(content)}"`)) return reply.status(304).send()
  if (encoding) reply.header('content-encoding', encoding)
  return reply.send(content)
}
