// Apart from the shapes, for worker threads that need no schema of the API.

export const RESOURCE_TYPES = ['template', 'broadcast'] as const
export type ResourceType = (typeof RESOURCE_TYPES)[number]

/** Of a document as JSON. An email of 102 kB, the most that Gmail shows, comes from some 60 kB. */
export const MAX_DOCUMENT_BYTES = 512 * 1024
/** Nodes and marks. Composing takes some 2 ms of CPU for each paragraph. */
export const MAX_DOCUMENT_NODES = 3_000
export const MAX_DOCUMENT_DEPTH = 25
/** Of html that is parsed into a document, in characters. */
export const MAX_IMPORT_LENGTH = 512 * 1024
/** Kept for each document. */
export const MAX_VERSIONS = 50
/** Saves of one author become one version until there is a pause of this length. */
export const VERSION_PAUSE_MS = 5 * 60_000
/** A version is cut at least this often while saves go on without a pause. */
export const MAX_VERSION_MS = 30 * 60_000
/** How often a dashboard renews its connection. */
export const CONNECTION_RENEWAL_MS = 20_000
/** Of one document. */
export const MAX_CONNECTIONS = 50
export const MAX_IMAGE_BYTES = 5 * 1024 * 1024
/** Of the upload request: base64 and the JSON around it. */
export const MAX_UPLOAD_BYTES = Math.ceil((MAX_IMAGE_BYTES * 4) / 3) + 64 * 1024
export const MAX_IMAGES = 10_000
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const

export const WARNING_CODES = [
  'no_unsubscribe_link',
  'clipped_by_gmail',
  'image_without_alt',
  'image_without_source',
  'empty_link',
] as const

export interface Warning {
  readonly code: (typeof WARNING_CODES)[number]
  readonly count: number
  readonly message: string
}
