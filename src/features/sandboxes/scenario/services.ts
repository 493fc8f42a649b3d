import type { Services } from '../../services.ts'

/** What it needs of the process. */
export interface SandboxesScenarioServices
  extends Pick<Services, 'db' | 'clock' | 'sealer' | 'blobs' | 'publicUrl' | 'links'> {}
