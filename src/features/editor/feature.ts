import { feature } from '../feature.ts'
import { editorEndpoints } from './endpoints.ts'
import { imageEndpoints } from './image-endpoints.ts'
import { editorPublicRoutes } from './public-routes.ts'

export const editorFeature = feature({
  endpoints: [...editorEndpoints, ...imageEndpoints],
  publicRoutes: editorPublicRoutes,
  times: [
    { table: 'editor_connections', real: ['created_at', 'expires_at'] },
    { table: 'editor_images', team: ['created_at'] },
    { table: 'editor_versions', team: ['created_at', 'updated_at'] },
  ],
  liveUpdates: [
    { events: /^editor\.content\./, endpoints: ['editor.content', 'editor.versions', 'templates', 'broadcasts'] },
    { events: /^editor\.connections\./, endpoints: ['editor.connections'] },
  ],
})
