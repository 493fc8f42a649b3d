export { foldEvents } from './fold.ts'
