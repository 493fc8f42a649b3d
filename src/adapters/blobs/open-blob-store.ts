import { join } from 'node:path'
import type { Config } from '../../platform/settings/config.ts'
import type { BlobStore } from './blob-store.ts'
import { FileBlobStore } from './file-blob-store.ts'
import { S3BlobStore } from './s3-blob-store.ts'

/** The blob store of the settings. */
export function openBlobStore({ S3_URL, DATA_DIR }: Config): BlobStore {
  if (!S3_URL) return new FileBlobStore(join(DATA_DIR, 'blobs'))
  const { origin, pathname, username, password, searchParams } = new URL(S3_URL)
  return new S3BlobStore({
    endpoint: origin,
    bucket: pathname.replace(/^\/|\/$/g, ''),
    region: searchParams.get('region') ?? 'us-east-1',
    accessKeyId: decodeURIComponent(username),
    secretAccessKey: decodeURIComponent(password),
  })
}
