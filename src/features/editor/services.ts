import type { BroadcastsServices } from '../broadcasts/index.ts'
import type { Services } from '../services.ts'

/** What it needs of the process. A broadcast is checked as a whole when its content changes. */
export interface EditorServices extends BroadcastsServices {}

export interface ImageServices extends Pick<Services, 'db' | 'clock' | 'blobs' | 'links' | 'publicUrl'> {}
