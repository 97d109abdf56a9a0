import fc from 'fast-check'

const seed = Number.parseInt(process.env.TEST_SEED ?? '', 10)
if (!Number.isNaN(seed)) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed })
