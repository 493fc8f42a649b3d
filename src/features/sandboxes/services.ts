import type { Services } from '../services.ts'

/** What it needs of the process. */
export interface SandboxesServices
  extends Pick<Services, 'db' | 'clock' | 'config' | 'sealer' | 'authenticator' | 'sessions' | 'smtpAddress'> {}
