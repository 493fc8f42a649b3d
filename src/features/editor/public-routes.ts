import { gone } from '../../kernel/http/download.ts'
import { JSON_TYPE } from '../../kernel/http/endpoint.ts'
import { publicRoute } from '../definitions.ts'
import { describeInWorker } from './composing/editor-pool.ts'
import { openImage } from './images.ts'

export const editorPublicRoutes = [
  publicRoute({
    route: 'GET /api/agent/prompt',
    run: async () => ({
      status: 200,
      headers: { 'content-type': JSON_TYPE, 'cache-control': 'public, max-age=300' },
      body: JSON.stringify(await describeInWorker()),
    }),
  }),
  publicRoute<{ token: string }>({
    route: 'GET /images/:token',
    async run({ params, visitor, services }) {
      const image = await openImage(services, params.token, visitor.host)
      if (!image) return gone
      return {
        status: 200,
        headers: {
          'content-type': image.contentType,
          'content-length': String(image.size),
          'cache-control': 'public, max-age=31536000, immutable',
          etag: `"${image.hash.toString('hex')}"`,
          'content-security-policy': "default-src 'none'; sandbox",
          'x-content-type-options': 'nosniff',
          'cross-origin-resource-policy': 'cross-origin',
        },
        body: image.content,
      }
    },
  }),
]
