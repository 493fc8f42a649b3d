export const hasDuckDb = async () => true
