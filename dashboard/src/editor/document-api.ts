import type { JSONContent } from '@tiptap/core'
import { call, type Reply } from '../api.ts'

/** The template or broadcast whose email is edited. */
export interface EditedResource {
  readonly resource_type: 'template' | 'broadcast'
  readonly resource_id: string
}

export type StoredDocument = Reply<'editor.content.get'>
export type Composed = Reply<'editor.compose'>
export type Warning = Composed['warnings'][number]

/** Saves it over the version that it was made from. Somebody else's that came in between is refused with 409. */
export const saveContent = (resource: EditedResource, content: JSONContent, version: number) =>
  call('editor.content.update', { body: { ...resource, content: { ...content }, version } })

export const composeContent = (resource: EditedResource, content: JSONContent, signal?: AbortSignal) =>
  call(
    'editor.compose',
    { body: { resource_type: resource.resource_type, content: { ...content } } },
    signal ? { signal } : {},
  )

export const importHtml = async (html: string): Promise<JSONContent> =>
  (await call('editor.import', { body: { html } })).content as JSONContent

export async function uploadImage(file: File): Promise<{ id: string; url: string }> {
  const content = await base64Of(file)
  const { id, url } = await call('editor.images.create', { body: { content, filename: file.name } })
  return { id, url }
}

const base64Of = (file: File) =>
  new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
