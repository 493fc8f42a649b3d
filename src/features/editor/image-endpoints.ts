import { IdParams } from '../../kernel/http/shapes.ts'
import { deletionAfter, endpoint, list } from '../definitions.ts'
import { addImage, imagesOf, removeImage } from './images.ts'
import { CreateEditorImage, DeletedEditorImage, EditorImage, EditorImageItem, MAX_UPLOAD_BYTES } from './schema.ts'

export const imageEndpoints = [
  endpoint({
    id: 'editor.images.create',
    route: 'POST /editor/images',
    summary: 'Upload an image',
    description: 'PNG, JPEG, GIF or WebP, at most 5 MB. The same file is stored once.',
    status: 201,
    mayExist: true,
    maxBodyBytes: MAX_UPLOAD_BYTES,
    body: CreateEditorImage,
    reply: EditorImage,
    run: ({ body, services, actor }) => addImage(services, actor, body),
  }),
  list({
    id: 'editor.images.list',
    route: 'GET /editor/images',
    summary: 'List images',
    item: EditorImageItem,
    unlimited: 20,
    rows: ({ window, services, actor }) => imagesOf(services, actor, window),
  }),
  endpoint({
    id: 'editor.images.remove',
    route: 'DELETE /editor/images/:id',
    summary: 'Delete an image',
    description: 'Emails that show it show it no more. The logo of the team cannot be deleted.',
    params: IdParams,
    reply: DeletedEditorImage,
    run: deletionAfter('editor_image', removeImage),
  }),
]
