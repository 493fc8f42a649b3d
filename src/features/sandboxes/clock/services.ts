import type { Services } from '../../services.ts'

/** What it needs of the process. */
export interface SandboxesClockServices
  extends Pick<Services, 'db' | 'clock' | 'config' | 'messageWaits' | 'wakeups' | 'dueWork' | 'retainFor'> {}
