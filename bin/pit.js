#!/usr/bin/env node
import { start } from '../dist/bin.js';

process.exitCode = await start();
