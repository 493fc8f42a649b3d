import { existsSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { assetPath, readPlain } from '../../platform/assets.ts'
import { contentHash, type Encoding, encodingFor, isUnchanged } from './packed.ts'

// The API reference at /docs, and the description of the API that it shows. Its script is 4 MB: it is compressed, and cached for
// ever, since its URL has a content hash.

interface Variants {
  readonly plain: Buffer
  readonly packed: ReadonlyMap<Encoding, Buffer>
  readonly hash: string
}

/** `describe` builds the OpenAPI document, once, on the first request. */
export function addReferenceRoutes(app: FastifyInstance, describe: () => object) {
  let document: Promise<Variants> | undefined
  app.get('/openapi.json', async (request, reply) => {
    document ??= pack(JSON.stringify(describe()))
    reply.header('cache-control', 'no-cache').type('application/json; charset=utf-8')
    return sendVariant(request, reply, await document)
  })
  let script: Variants | undefined
  const referenceScript = () => {
    script ??= readPacked('reference.js')
    return script
  }
  app.get('/docs', (_request, reply) =>
    reply
      .header('content-security-policy', CONTENT_SECURITY_POLICY)
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(referencePage(referenceScript().hash)),
  )
  app.get<{ Params: { hash: string } }>('/docs/reference-:hash.js', (request, reply) => {
    const found = referenceScript()
    // The hash of another build, for instance in a page opened before an upgrade: answered with this build's script, and not cached.
    const caching = request.params.hash === found.hash ? 'public, max-age=31536000, immutable' : 'no-cache'
    reply.header('cache-control', caching).type('text/javascript; charset=utf-8')
    return sendVariant(request, reply, found)
  })
  app.get('/docs/open.js', (_request, reply) =>
    reply.header('cache-control', 'no-cache').type('text/javascript; charset=utf-8').send(OPEN_REFERENCE),
  )
  app.get('/docs/icon.svg', (_request, reply) =>
    reply.header('cache-control', 'max-age=3600').type('image/svg+xml').send(ICON),
  )
}

function sendVariant(request: FastifyRequest, reply: FastifyReply, variants: Variants) {
  const { plain, packed, hash } = variants
  reply.header('x-content-type-options', 'nosniff')
  const encoding = encodingFor(request, [...packed.keys()])
  if (isUnchanged(request, reply, `"${hash}${encoding ? `-${encoding}` : ''}"`)) return reply.status(304).send()
  if (!encoding) return reply.send(plain)
  return reply.header('content-encoding', encoding).send(packed.get(encoding))
}

/** With the copies that scripts/build.mjs has compressed, which takes seconds. */
function readPacked(name: string): Variants {
  const path = assetPath(`${name}.br`).slice(0, -'.br'.length)
  const plain = readPlain(path)
  const copies = (
    [
      ['br', `${path}.br`],
      ['gzip', `${path}.gz`],
    ] as const
  ).filter(([, copy]) => existsSync(copy))
  return { plain, packed: new Map(copies.map(([end, copy]) => [end, readFileSync(copy)])), hash: contentHash(plain) }
}

/** 1 MB of JSON, in the thread pool. */
async function pack(text: string): Promise<Variants> {
  const plain = Buffer.from(text)
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
    promisify(gzip)(plain),
  ])
  return {
    plain,
    packed: new Map([
      ['br', br],
      ['gzip', zipped],
    ]),
    hash: contentHash(plain),
  }
}

// The viewer would fetch fonts and offer services of its maker; the policy makes sure that nothing but this server is asked.
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-eval'; style-src 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'"

const OPEN_REFERENCE = `Scalar.createApiReference('#reference', ${JSON.stringify({
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
})})`

/** Without one a browser asks for `/favicon.ico`, which is not there. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#27695a"/><path d="M6 10h20v13H6zM6 11l10 7 10-7" fill="none" stroke="#fff" stroke-width="2" stroke-linejoin="round"/></svg>`

const referencePage = (hash: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Postwren API reference</title>
    <link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/reference-${hash}.js"></script>
    <script src="/docs/open.js"></script>
  </body>
</html>
`
