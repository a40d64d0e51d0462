import { createRequire as __WEBPACK_EXTERNAL_createRequire } from "module";
/******/ var __webpack_modules__ = ({

/***/ 2613:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("assert");

/***/ }),

/***/ 4434:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("events");

/***/ }),

/***/ 9896:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("fs");

/***/ }),

/***/ 8611:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("http");

/***/ }),

/***/ 5692:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("https");

/***/ }),

/***/ 9278:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("net");

/***/ }),

/***/ 4589:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:assert");

/***/ }),

/***/ 6698:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:async_hooks");

/***/ }),

/***/ 4573:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:buffer");

/***/ }),

/***/ 7540:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:console");

/***/ }),

/***/ 7598:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:crypto");

/***/ }),

/***/ 3053:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:diagnostics_channel");

/***/ }),

/***/ 610:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:dns");

/***/ }),

/***/ 8474:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:events");

/***/ }),

/***/ 1455:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:fs/promises");

/***/ }),

/***/ 7067:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:http");

/***/ }),

/***/ 2467:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:http2");

/***/ }),

/***/ 7030:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:net");

/***/ }),

/***/ 6760:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:path");

/***/ }),

/***/ 643:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:perf_hooks");

/***/ }),

/***/ 1792:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:querystring");

/***/ }),

/***/ 99:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:sqlite");

/***/ }),

/***/ 7075:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:stream");

/***/ }),

/***/ 7830:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:stream/web");

/***/ }),

/***/ 7997:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:timers");

/***/ }),

/***/ 1692:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:tls");

/***/ }),

/***/ 3136:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:url");

/***/ }),

/***/ 7975:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:util");

/***/ }),

/***/ 3429:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:util/types");

/***/ }),

/***/ 5919:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:worker_threads");

/***/ }),

/***/ 8522:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:zlib");

/***/ }),

/***/ 857:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("os");

/***/ }),

/***/ 4756:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("tls");

/***/ }),

/***/ 9023:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("util");

/***/ })

/******/ });
/************************************************************************/
/******/ // The module cache
/******/ var __webpack_module_cache__ = {};
/******/ 
/******/ // The require function
/******/ function __nccwpck_require__(moduleId) {
/******/ 	// Check if module is in cache
/******/ 	var cachedModule = __webpack_module_cache__[moduleId];
/******/ 	if (cachedModule !== undefined) {
/******/ 		return cachedModule.exports;
/******/ 	}
/******/ 	// Create a new module (and put it into the cache)
/******/ 	var module = __webpack_module_cache__[moduleId] = {
/******/ 		id: moduleId,
/******/ 		loaded: false,
/******/ 		exports: {}
/******/ 	};
/******/ 
/******/ 	// Execute the module function
/******/ 	var threw = true;
/******/ 	try {
/******/ 		__webpack_modules__[moduleId].call(module.exports, module, module.exports, __nccwpck_require__);
/******/ 		threw = false;
/******/ 	} finally {
/******/ 		if(threw) delete __webpack_module_cache__[moduleId];
/******/ 	}
/******/ 
/******/ 	// Flag the module as loaded
/******/ 	module.loaded = true;
/******/ 
/******/ 	// Return the exports of the module
/******/ 	return module.exports;
/******/ }
/******/ 
/******/ // expose the modules object (__webpack_modules__)
/******/ __nccwpck_require__.m = __webpack_modules__;
/******/ 
/************************************************************************/
/******/ /* webpack/runtime/asset-relocator-loader */
/******/ if (typeof __nccwpck_require__ !== 'undefined') __nccwpck_require__.ab = decodeURIComponent(new URL('.', import.meta.url).pathname).slice(import.meta.url.match(/^file:\/\/\/\w:/) ? 1 : 0, -1) + "/";
/******/ 
/******/ /* webpack/runtime/create fake namespace object */
/******/ (() => {
/******/ 	var getProto = Object.getPrototypeOf ? (obj) => (Object.getPrototypeOf(obj)) : (obj) => (obj.__proto__);
/******/ 	var leafPrototypes;
/******/ 	// create a fake namespace object
/******/ 	// mode & 1: value is a module id, require it
/******/ 	// mode & 2: merge all properties of value into the ns
/******/ 	// mode & 4: return value when already ns object
/******/ 	// mode & 16: return value when it's Promise-like
/******/ 	// mode & 8|1: behave like require
/******/ 	__nccwpck_require__.t = function(value, mode) {
/******/ 		if(mode & 1) value = this(value);
/******/ 		if(mode & 8) return value;
/******/ 		if(typeof value === 'object' && value) {
/******/ 			if((mode & 4) && value.__esModule) return value;
/******/ 			if((mode & 16) && typeof value.then === 'function') return value;
/******/ 		}
/******/ 		var ns = Object.create(null);
/******/ 		__nccwpck_require__.r(ns);
/******/ 		var def = {};
/******/ 		leafPrototypes = leafPrototypes || [null, getProto({}), getProto([]), getProto(getProto)];
/******/ 		for(var current = mode & 2 && value; typeof current == 'object' && !~leafPrototypes.indexOf(current); current = getProto(current)) {
/******/ 			Object.getOwnPropertyNames(current).forEach((key) => (def[key] = () => (value[key])));
/******/ 		}
/******/ 		def['default'] = () => (value);
/******/ 		__nccwpck_require__.d(ns, def);
/******/ 		return ns;
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/define property getters */
/******/ (() => {
/******/ 	// define getter functions for harmony exports
/******/ 	__nccwpck_require__.d = (exports, definition) => {
/******/ 		for(var key in definition) {
/******/ 			if(__nccwpck_require__.o(definition, key) && !__nccwpck_require__.o(exports, key)) {
/******/ 				Object.defineProperty(exports, key, { enumerable: true, get: definition[key] });
/******/ 			}
/******/ 		}
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/ensure chunk */
/******/ (() => {
/******/ 	__nccwpck_require__.f = {};
/******/ 	// This file contains only the entry chunk.
/******/ 	// The chunk loading function for additional chunks
/******/ 	__nccwpck_require__.e = (chunkId) => {
/******/ 		return Promise.all(Object.keys(__nccwpck_require__.f).reduce((promises, key) => {
/******/ 			__nccwpck_require__.f[key](chunkId, promises);
/******/ 			return promises;
/******/ 		}, []));
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/get javascript chunk filename */
/******/ (() => {
/******/ 	// This function allow to reference async chunks
/******/ 	__nccwpck_require__.u = (chunkId) => {
/******/ 		// return url for filenames based on template
/******/ 		return "" + chunkId + ".index.js";
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/hasOwnProperty shorthand */
/******/ (() => {
/******/ 	__nccwpck_require__.o = (obj, prop) => (Object.prototype.hasOwnProperty.call(obj, prop))
/******/ })();
/******/ 
/******/ /* webpack/runtime/make namespace object */
/******/ (() => {
/******/ 	// define __esModule on exports
/******/ 	__nccwpck_require__.r = (exports) => {
/******/ 		if(typeof Symbol !== 'undefined' && Symbol.toStringTag) {
/******/ 			Object.defineProperty(exports, Symbol.toStringTag, { value: 'Module' });
/******/ 		}
/******/ 		Object.defineProperty(exports, '__esModule', { value: true });
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/node module decorator */
/******/ (() => {
/******/ 	__nccwpck_require__.nmd = (module) => {
/******/ 		module.paths = [];
/******/ 		if (!module.children) module.children = [];
/******/ 		return module;
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/import chunk loading */
/******/ (() => {
/******/ 	// no baseURI
/******/ 	
/******/ 	// object to store loaded and loading chunks
/******/ 	// undefined = chunk not loaded, null = chunk preloaded/prefetched
/******/ 	// [resolve, Promise] = chunk loading, 0 = chunk loaded
/******/ 	var installedChunks = {
/******/ 		792: 0
/******/ 	};
/******/ 	
/******/ 	var installChunk = (data) => {
/******/ 		var {ids, modules, runtime} = data;
/******/ 		// add "modules" to the modules object,
/******/ 		// then flag all "ids" as loaded and fire callback
/******/ 		var moduleId, chunkId, i = 0;
/******/ 		for(moduleId in modules) {
/******/ 			if(__nccwpck_require__.o(modules, moduleId)) {
/******/ 				__nccwpck_require__.m[moduleId] = modules[moduleId];
/******/ 			}
/******/ 		}
/******/ 		if(runtime) runtime(__nccwpck_require__);
/******/ 		for(;i < ids.length; i++) {
/******/ 			chunkId = ids[i];
/******/ 			if(__nccwpck_require__.o(installedChunks, chunkId) && installedChunks[chunkId]) {
/******/ 				installedChunks[chunkId][0]();
/******/ 			}
/******/ 			installedChunks[ids[i]] = 0;
/******/ 		}
/******/ 	
/******/ 	}
/******/ 	
/******/ 	__nccwpck_require__.f.j = (chunkId, promises) => {
/******/ 			// import() chunk loading for javascript
/******/ 			var installedChunkData = __nccwpck_require__.o(installedChunks, chunkId) ? installedChunks[chunkId] : undefined;
/******/ 			if(installedChunkData !== 0) { // 0 means "already installed".
/******/ 	
/******/ 				// a Promise means "currently loading".
/******/ 				if(installedChunkData) {
/******/ 					promises.push(installedChunkData[1]);
/******/ 				} else {
/******/ 					if(true) { // all chunks have JS
/******/ 						// setup Promise in chunk cache
/******/ 						var promise = import("./" + __nccwpck_require__.u(chunkId)).then(installChunk, (e) => {
/******/ 							if(installedChunks[chunkId] !== 0) installedChunks[chunkId] = undefined;
/******/ 							throw e;
/******/ 						});
/******/ 						var promise = Promise.race([promise, new Promise((resolve) => (installedChunkData = installedChunks[chunkId] = [resolve]))])
/******/ 						promises.push(installedChunkData[1] = promise);
/******/ 					}
/******/ 				}
/******/ 			}
/******/ 	};
/******/ 	
/******/ 	// no prefetching
/******/ 	
/******/ 	// no preloaded
/******/ 	
/******/ 	// no external install chunk
/******/ 	
/******/ 	// no on chunks loaded
/******/ })();
/******/ 
/************************************************************************/
var __webpack_exports__ = {};

// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  iW: () => (/* reexport */ main),
  bE: () => (/* reexport */ post),
  X0: () => (/* reexport */ sweep)
});

// EXTERNAL MODULE: external "os"
var external_os_ = __nccwpck_require__(857);
;// CONCATENATED MODULE: ./lib/node_modules/@actions/core/lib/utils.js
// We use any as a valid input type
/* eslint-disable @typescript-eslint/no-explicit-any */
/**
 * Sanitizes an input into a string so it can be passed into issueCommand safely
 * @param input input to sanitize into a string
 */
function utils_toCommandValue(input) {
    if (input === null || input === undefined) {
        return '';
    }
    else if (typeof input === 'string' || input instanceof String) {
        return input;
    }
    return JSON.stringify(input);
}
/**
 *
 * @param annotationProperties
 * @returns The command properties to send with the actual annotation command
 * See IssueCommandProperties: https://github.com/actions/runner/blob/main/src/Runner.Worker/ActionCommandManager.cs#L646
 */
function utils_toCommandProperties(annotationProperties) {
    if (!Object.keys(annotationProperties).length) {
        return {};
    }
    return {
        title: annotationProperties.title,
        file: annotationProperties.file,
        line: annotationProperties.startLine,
        endLine: annotationProperties.endLine,
        col: annotationProperties.startColumn,
        endColumn: annotationProperties.endColumn
    };
}
//# sourceMappingURL=utils.js.map
;// CONCATENATED MODULE: ./lib/node_modules/@actions/core/lib/command.js


/**
 * Issues a command to the GitHub Actions runner
 *
 * @param command - The command name to issue
 * @param properties - Additional properties for the command (key-value pairs)
 * @param message - The message to include with the command
 * @remarks
 * This function outputs a specially formatted string to stdout that the Actions
 * runner interprets as a command. These commands can control workflow behavior,
 * set outputs, create annotations, mask values, and more.
 *
 * Command Format:
 *   ::name key=value,key=value::message
 *
 * @example
 * ```typescript
 * // Issue a warning annotation
 * issueCommand('warning', {}, 'This is a warning message');
 * // Output: ::warning::This is a warning message
 *
 * // Set an environment variable
 * issueCommand('set-env', { name: 'MY_VAR' }, 'some value');
 * // Output: ::set-env name=MY_VAR::some value
 *
 * // Add a secret mask
 * issueCommand('add-mask', {}, 'secretValue123');
 * // Output: ::add-mask::secretValue123
 * ```
 *
 * @internal
 * This is an internal utility function that powers the public API functions
 * such as setSecret, warning, error, and exportVariable.
 */
function command_issueCommand(command, properties, message) {
    const cmd = new Command(command, properties, message);
    process.stdout.write(cmd.toString() + external_os_.EOL);
}
function command_issue(name, message = '') {
    command_issueCommand(name, {}, message);
}
const CMD_STRING = '::';
class Command {
    constructor(command, properties, message) {
        if (!command) {
            command = 'missing.command';
        }
        this.command = command;
        this.properties = properties;
        this.message = message;
    }
    toString() {
        let cmdStr = CMD_STRING + this.command;
        if (this.properties && Object.keys(this.properties).length > 0) {
            cmdStr += ' ';
            let first = true;
            for (const key in this.properties) {
                if (this.properties.hasOwnProperty(key)) {
                    const val = this.properties[key];
                    if (val) {
                        if (first) {
                            first = false;
                        }
                        else {
                            cmdStr += ',';
                        }
                        cmdStr += `${key}=${escapeProperty(val)}`;
                    }
                }
            }
        }
        cmdStr += `${CMD_STRING}${escapeData(this.message)}`;
        return cmdStr;
    }
}
function escapeData(s) {
    return utils_toCommandValue(s)
        .replace(/%/g, '%25')
        .replace(/\r/g, '%0D')
        .replace(/\n/g, '%0A');
}
function escapeProperty(s) {
    return utils_toCommandValue(s)
        .replace(/%/g, '%25')
        .replace(/\r/g, '%0D')
        .replace(/\n/g, '%0A')
        .replace(/:/g, '%3A')
        .replace(/,/g, '%2C');
}
//# sourceMappingURL=command.js.map
;// CONCATENATED MODULE: external "crypto"
const external_crypto_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("crypto");
// EXTERNAL MODULE: external "fs"
var external_fs_ = __nccwpck_require__(9896);
;// CONCATENATED MODULE: ./lib/node_modules/@actions/core/lib/file-command.js
// For internal use, subject to change.
// We use any as a valid input type
/* eslint-disable @typescript-eslint/no-explicit-any */




function file_command_issueFileCommand(command, message) {
    const filePath = process.env[`GITHUB_${command}`];
    if (!filePath) {
        throw new Error(`Unable to find environment variable for file command ${command}`);
    }
    if (!external_fs_.existsSync(filePath)) {
        throw new Error(`Missing file at path: ${filePath}`);
    }
    external_fs_.appendFileSync(filePath, `${utils_toCommandValue(message)}${external_os_.EOL}`, {
        encoding: 'utf8'
    });
}
function file_command_prepareKeyValueMessage(key, value) {
    const delimiter = `ghadelimiter_${external_crypto_namespaceObject.randomUUID()}`;
    const convertedValue = utils_toCommandValue(value);
    // These should realistically never happen, but just in case someone finds a
    // way to exploit uuid generation let's not allow keys or values that contain
    // the delimiter.
    if (key.includes(delimiter)) {
        throw new Error(`Unexpected input: name should not contain the delimiter "${delimiter}"`);
    }
    if (convertedValue.includes(delimiter)) {
        throw new Error(`Unexpected input: value should not contain the delimiter "${delimiter}"`);
    }
    return `${key}<<${delimiter}${external_os_.EOL}${convertedValue}${external_os_.EOL}${delimiter}`;
}
//# sourceMappingURL=file-command.js.map
;// CONCATENATED MODULE: external "path"
const external_path_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("path");
;// CONCATENATED MODULE: ./lib/node_modules/@actions/core/lib/oidc-utils.js
var __awaiter = (undefined && undefined.__awaiter) || function (thisArg, _arguments, P, generator) {
    function adopt(value) { return value instanceof P ? value : new P(function (resolve) { resolve(value); }); }
    return new (P || (P = Promise))(function (resolve, reject) {
        function fulfilled(value) { try { step(generator.next(value)); } catch (e) { reject(e); } }
        function rejected(value) { try { step(generator["throw"](value)); } catch (e) { reject(e); } }
        function step(result) { result.done ? resolve(result.value) : adopt(result.value).then(fulfilled, rejected); }
        step((generator = generator.apply(thisArg, _arguments || [])).next());
    });
};



class oidc_utils_OidcClient {
    static createHttpClient(allowRetry = true, maxRetry = 10) {
        const requestOptions = {
            allowRetries: allowRetry,
            maxRetries: maxRetry
        };
        return new HttpClient('actions/oidc-client', [new BearerCredentialHandler(oidc_utils_OidcClient.getRequestToken())], requestOptions);
    }
    static getRequestToken() {
        const token = process.env['ACTIONS_ID_TOKEN_REQUEST_TOKEN'];
        if (!token) {
            throw new Error('Unable to get ACTIONS_ID_TOKEN_REQUEST_TOKEN env variable');
        }
        return token;
    }
    static getIDTokenUrl() {
        const runtimeUrl = process.env['ACTIONS_ID_TOKEN_REQUEST_URL'];
        if (!runtimeUrl) {
            throw new Error('Unable to get ACTIONS_ID_TOKEN_REQUEST_URL env variable');
        }
        return runtimeUrl;
    }
    static getCall(id_token_url) {
        return __awaiter(this, void 0, void 0, function* () {
            var _a;
            const httpclient = oidc_utils_OidcClient.createHttpClient();
            const res = yield httpclient
                .getJson(id_token_url)
                .catch(error => {
                throw new Error(`Failed to get ID Token. \n 
        Error Code : ${error.statusCode}\n 
        Error Message: ${error.message}`);
            });
            const id_token = (_a = res.result) === null || _a === void 0 ? void 0 : _a.value;
            if (!id_token) {
                throw new Error('Response json body do not have ID Token field');
            }
            return id_token;
        });
    }
    static getIDToken(audience) {
        return __awaiter(this, void 0, void 0, function* () {
            try {
                // New ID Token is requested from action service
                let id_token_url = oidc_utils_OidcClient.getIDTokenUrl();
                if (audience) {
                    const encodedAudience = encodeURIComponent(audience);
                    id_token_url = `${id_token_url}&audience=${encodedAudience}`;
                }
                debug(`ID token url is ${id_token_url}`);
                const id_token = yield oidc_utils_OidcClient.getCall(id_token_url);
                setSecret(id_token);
                return id_token;
            }
            catch (error) {
                throw new Error(`Error message: ${error.message}`);
            }
        });
    }
}
//# sourceMappingURL=oidc-utils.js.map
;// CONCATENATED MODULE: ./lib/node_modules/@actions/core/lib/summary.js
var summary_awaiter = (undefined && undefined.__awaiter) || function (thisArg, _arguments, P, generator) {
    function adopt(value) { return value instanceof P ? value : new P(function (resolve) { resolve(value); }); }
    return new (P || (P = Promise))(function (resolve, reject) {
        function fulfilled(value) { try { step(generator.next(value)); } catch (e) { reject(e); } }
        function rejected(value) { try { step(generator["throw"](value)); } catch (e) { reject(e); } }
        function step(result) { result.done ? resolve(result.value) : adopt(result.value).then(fulfilled, rejected); }
        step((generator = generator.apply(thisArg, _arguments || [])).next());
    });
};


const { access, appendFile, writeFile } = external_fs_.promises;
const SUMMARY_ENV_VAR = 'GITHUB_STEP_SUMMARY';
const SUMMARY_DOCS_URL = 'https://docs.github.com/actions/using-workflows/workflow-commands-for-github-actions#adding-a-job-summary';
class Summary {
    constructor() {
        this._buffer = '';
    }
    /**
     * Finds the summary file path from the environment, rejects if env var is not found or file does not exist
     * Also checks r/w permissions.
     *
     * @returns step summary file path
     */
    filePath() {
        return summary_awaiter(this, void 0, void 0, function* () {
            if (this._filePath) {
                return this._filePath;
            }
            const pathFromEnv = process.env[SUMMARY_ENV_VAR];
            if (!pathFromEnv) {
                throw new Error(`Unable to find environment variable for $${SUMMARY_ENV_VAR}. Check if your runtime environment supports job summaries.`);
            }
            try {
                yield access(pathFromEnv, external_fs_.constants.R_OK | external_fs_.constants.W_OK);
            }
            catch (_a) {
                throw new Error(`Unable to access summary file: '${pathFromEnv}'. Check if the file has correct read/write permissions.`);
            }
            this._filePath = pathFromEnv;
            return this._filePath;
        });
    }
    /**
     * Wraps content in an HTML tag, adding any HTML attributes
     *
     * @param {string} tag HTML tag to wrap
     * @param {string | null} content content within the tag
     * @param {[attribute: string]: string} attrs key-value list of HTML attributes to add
     *
     * @returns {string} content wrapped in HTML element
     */
    wrap(tag, content, attrs = {}) {
        const htmlAttrs = Object.entries(attrs)
            .map(([key, value]) => ` ${key}="${value}"`)
            .join('');
        if (!content) {
            return `<${tag}${htmlAttrs}>`;
        }
        return `<${tag}${htmlAttrs}>${content}</${tag}>`;
    }
    /**
     * Writes text in the buffer to the summary buffer file and empties buffer. Will append by default.
     *
     * @param {SummaryWriteOptions} [options] (optional) options for write operation
     *
     * @returns {Promise<Summary>} summary instance
     */
    write(options) {
        return summary_awaiter(this, void 0, void 0, function* () {
            const overwrite = !!(options === null || options === void 0 ? void 0 : options.overwrite);
            const filePath = yield this.filePath();
            const writeFunc = overwrite ? writeFile : appendFile;
            yield writeFunc(filePath, this._buffer, { encoding: 'utf8' });
            return this.emptyBuffer();
        });
    }
    /**
     * Clears the summary buffer and wipes the summary file
     *
     * @returns {Summary} summary instance
     */
    clear() {
        return summary_awaiter(this, void 0, void 0, function* () {
            return this.emptyBuffer().write({ overwrite: true });
        });
    }
    /**
     * Returns the current summary buffer as a string
     *
     * @returns {string} string of summary buffer
     */
    stringify() {
        return this._buffer;
    }
    /**
     * If the summary buffer is empty
     *
     * @returns {boolen} true if the buffer is empty
     */
    isEmptyBuffer() {
        return this._buffer.length === 0;
    }
    /**
     * Resets the summary buffer without writing to summary file
     *
     * @returns {Summary} summary instance
     */
    emptyBuffer() {
        this._buffer = '';
        return this;
    }
    /**
     * Adds raw text to the summary buffer
     *
     * @param {string} text content to add
     * @param {boolean} [addEOL=false] (optional) append an EOL to the raw text (default: false)
     *
     * @returns {Summary} summary instance
     */
    addRaw(text, addEOL = false) {
        this._buffer += text;
        return addEOL ? this.addEOL() : this;
    }
    /**
     * Adds the operating system-specific end-of-line marker to the buffer
     *
     * @returns {Summary} summary instance
     */
    addEOL() {
        return this.addRaw(external_os_.EOL);
    }
    /**
     * Adds an HTML codeblock to the summary buffer
     *
     * @param {string} code content to render within fenced code block
     * @param {string} lang (optional) language to syntax highlight code
     *
     * @returns {Summary} summary instance
     */
    addCodeBlock(code, lang) {
        const attrs = Object.assign({}, (lang && { lang }));
        const element = this.wrap('pre', this.wrap('code', code), attrs);
        return this.addRaw(element).addEOL();
    }
    /**
     * Adds an HTML list to the summary buffer
     *
     * @param {string[]} items list of items to render
     * @param {boolean} [ordered=false] (optional) if the rendered list should be ordered or not (default: false)
     *
     * @returns {Summary} summary instance
     */
    addList(items, ordered = false) {
        const tag = ordered ? 'ol' : 'ul';
        const listItems = items.map(item => this.wrap('li', item)).join('');
        const element = this.wrap(tag, listItems);
        return this.addRaw(element).addEOL();
    }
    /**
     * Adds an HTML table to the summary buffer
     *
     * @param {SummaryTableCell[]} rows table rows
     *
     * @returns {Summary} summary instance
     */
    addTable(rows) {
        const tableBody = rows
            .map(row => {
            const cells = row
                .map(cell => {
                if (typeof cell === 'string') {
                    return this.wrap('td', cell);
                }
                const { header, data, colspan, rowspan } = cell;
                const tag = header ? 'th' : 'td';
                const attrs = Object.assign(Object.assign({}, (colspan && { colspan })), (rowspan && { rowspan }));
                return this.wrap(tag, data, attrs);
            })
                .join('');
            return this.wrap('tr', cells);
        })
            .join('');
        const element = this.wrap('table', tableBody);
        return this.addRaw(element).addEOL();
    }
    /**
     * Adds a collapsable HTML details element to the summary buffer
     *
     * @param {string} label text for the closed state
     * @param {string} content collapsable content
     *
     * @returns {Summary} summary instance
     */
    addDetails(label, content) {
        const element = this.wrap('details', this.wrap('summary', label) + content);
        return this.addRaw(element).addEOL();
    }
    /**
     * Adds an HTML image tag to the summary buffer
     *
     * @param {string} src path to the image you to embed
     * @param {string} alt text description of the image
     * @param {SummaryImageOptions} options (optional) addition image attributes
     *
     * @returns {Summary} summary instance
     */
    addImage(src, alt, options) {
        const { width, height } = options || {};
        const attrs = Object.assign(Object.assign({}, (width && { width })), (height && { height }));
        const element = this.wrap('img', null, Object.assign({ src, alt }, attrs));
        return this.addRaw(element).addEOL();
    }
    /**
     * Adds an HTML section heading element
     *
     * @param {string} text heading text
     * @param {number | string} [level=1] (optional) the heading level, default: 1
     *
     * @returns {Summary} summary instance
     */
    addHeading(text, level) {
        const tag = `h${level}`;
        const allowedTag = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].includes(tag)
            ? tag
            : 'h1';
        const element = this.wrap(allowedTag, text);
        return this.addRaw(element).addEOL();
    }
    /**
     * Adds an HTML thematic break (<hr>) to the summary buffer
     *
     * @returns {Summary} summary instance
     */
    addSeparator() {
        const element = this.wrap('hr', null);
        return this.addRaw(element).addEOL();
    }
    /**
     * Adds an HTML line break (<br>) to the summary buffer
     *
     * @returns {Summary} summary instance
     */
    addBreak() {
        const element = this.wrap('br', null);
        return this.addRaw(element).addEOL();
    }
    /**
     * Adds an HTML blockquote to the summary buffer
     *
     * @param {string} text quote text
     * @param {string} cite (optional) citation url
     *
     * @returns {Summary} summary instance
     */
    addQuote(text, cite) {
        const attrs = Object.assign({}, (cite && { cite }));
        const element = this.wrap('blockquote', text, attrs);
        return this.addRaw(element).addEOL();
    }
    /**
     * Adds an HTML anchor tag to the summary buffer
     *
     * @param {string} text link text/content
     * @param {string} href hyperlink
     *
     * @returns {Summary} summary instance
     */
    addLink(text, href) {
        const element = this.wrap('a', text, { href });
        return this.addRaw(element).addEOL();
    }
}
const _summary = new Summary();
/**
 * @deprecated use `core.summary`
 */
const markdownSummary = (/* unused pure expression or super */ null && (_summary));
const summary = _summary;
//# sourceMappingURL=summary.js.map
;// CONCATENATED MODULE: ./lib/node_modules/@actions/core/lib/path-utils.js

/**
 * toPosixPath converts the given path to the posix form. On Windows, \\ will be
 * replaced with /.
 *
 * @param pth. Path to transform.
 * @return string Posix path.
 */
function toPosixPath(pth) {
    return pth.replace(/[\\]/g, '/');
}
/**
 * toWin32Path converts the given path to the win32 form. On Linux, / will be
 * replaced with \\.
 *
 * @param pth. Path to transform.
 * @return string Win32 path.
 */
function toWin32Path(pth) {
    return pth.replace(/[/]/g, '\\');
}
/**
 * toPlatformPath converts the given path to a platform-specific path. It does
 * this by replacing instances of / and \ with the platform-specific path
 * separator.
 *
 * @param pth The path to platformize.
 * @return string The platform-specific path.
 */
function toPlatformPath(pth) {
    return pth.replace(/[/\\]/g, path.sep);
}
//# sourceMappingURL=path-utils.js.map
;// CONCATENATED MODULE: ./lib/node_modules/@actions/core/lib/platform.js
var platform_awaiter = (undefined && undefined.__awaiter) || function (thisArg, _arguments, P, generator) {
    function adopt(value) { return value instanceof P ? value : new P(function (resolve) { resolve(value); }); }
    return new (P || (P = Promise))(function (resolve, reject) {
        function fulfilled(value) { try { step(generator.next(value)); } catch (e) { reject(e); } }
        function rejected(value) { try { step(generator["throw"](value)); } catch (e) { reject(e); } }
        function step(result) { result.done ? resolve(result.value) : adopt(result.value).then(fulfilled, rejected); }
        step((generator = generator.apply(thisArg, _arguments || [])).next());
    });
};


const getWindowsInfo = () => platform_awaiter(void 0, void 0, void 0, function* () {
    const { stdout: version } = yield exec.getExecOutput('powershell -command "(Get-CimInstance -ClassName Win32_OperatingSystem).Version"', undefined, {
        silent: true
    });
    const { stdout: name } = yield exec.getExecOutput('powershell -command "(Get-CimInstance -ClassName Win32_OperatingSystem).Caption"', undefined, {
        silent: true
    });
    return {
        name: name.trim(),
        version: version.trim()
    };
});
const getMacOsInfo = () => platform_awaiter(void 0, void 0, void 0, function* () {
    var _a, _b, _c, _d;
    const { stdout } = yield exec.getExecOutput('sw_vers', undefined, {
        silent: true
    });
    const version = (_b = (_a = stdout.match(/ProductVersion:\s*(.+)/)) === null || _a === void 0 ? void 0 : _a[1]) !== null && _b !== void 0 ? _b : '';
    const name = (_d = (_c = stdout.match(/ProductName:\s*(.+)/)) === null || _c === void 0 ? void 0 : _c[1]) !== null && _d !== void 0 ? _d : '';
    return {
        name,
        version
    };
});
const getLinuxInfo = () => platform_awaiter(void 0, void 0, void 0, function* () {
    const { stdout } = yield exec.getExecOutput('lsb_release', ['-i', '-r', '-s'], {
        silent: true
    });
    const [name, version] = stdout.trim().split('\n');
    return {
        name,
        version
    };
});
const platform = external_os_.platform();
const arch = external_os_.arch();
const isWindows = platform === 'win32';
const isMacOS = platform === 'darwin';
const isLinux = platform === 'linux';
function getDetails() {
    return platform_awaiter(this, void 0, void 0, function* () {
        return Object.assign(Object.assign({}, (yield (isWindows
            ? getWindowsInfo()
            : isMacOS
                ? getMacOsInfo()
                : getLinuxInfo()))), { platform,
            arch,
            isWindows,
            isMacOS,
            isLinux });
    });
}
//# sourceMappingURL=platform.js.map
;// CONCATENATED MODULE: ./lib/node_modules/@actions/core/lib/core.js
var core_awaiter = (undefined && undefined.__awaiter) || function (thisArg, _arguments, P, generator) {
    function adopt(value) { return value instanceof P ? value : new P(function (resolve) { resolve(value); }); }
    return new (P || (P = Promise))(function (resolve, reject) {
        function fulfilled(value) { try { step(generator.next(value)); } catch (e) { reject(e); } }
        function rejected(value) { try { step(generator["throw"](value)); } catch (e) { reject(e); } }
        function step(result) { result.done ? resolve(result.value) : adopt(result.value).then(fulfilled, rejected); }
        step((generator = generator.apply(thisArg, _arguments || [])).next());
    });
};






/**
 * The code to exit an action
 */
var ExitCode;
(function (ExitCode) {
    /**
     * A code indicating that the action was successful
     */
    ExitCode[ExitCode["Success"] = 0] = "Success";
    /**
     * A code indicating that the action was a failure
     */
    ExitCode[ExitCode["Failure"] = 1] = "Failure";
})(ExitCode || (ExitCode = {}));
//-----------------------------------------------------------------------
// Variables
//-----------------------------------------------------------------------
/**
 * Sets env variable for this action and future actions in the job
 * @param name the name of the variable to set
 * @param val the value of the variable. Non-string values will be converted to a string via JSON.stringify
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
function exportVariable(name, val) {
    const convertedVal = toCommandValue(val);
    process.env[name] = convertedVal;
    const filePath = process.env['GITHUB_ENV'] || '';
    if (filePath) {
        return issueFileCommand('ENV', prepareKeyValueMessage(name, val));
    }
    issueCommand('set-env', { name }, convertedVal);
}
/**
 * Registers a secret which will get masked from logs
 *
 * @param secret - Value of the secret to be masked
 * @remarks
 * This function instructs the Actions runner to mask the specified value in any
 * logs produced during the workflow run. Once registered, the secret value will
 * be replaced with asterisks (***) whenever it appears in console output, logs,
 * or error messages.
 *
 * This is useful for protecting sensitive information such as:
 * - API keys
 * - Access tokens
 * - Authentication credentials
 * - URL parameters containing signatures (SAS tokens)
 *
 * Note that masking only affects future logs; any previous appearances of the
 * secret in logs before calling this function will remain unmasked.
 *
 * @example
 * ```typescript
 * // Register an API token as a secret
 * const apiToken = "abc123xyz456";
 * setSecret(apiToken);
 *
 * // Now any logs containing this value will show *** instead
 * console.log(`Using token: ${apiToken}`); // Outputs: "Using token: ***"
 * ```
 */
function core_setSecret(secret) {
    command_issueCommand('add-mask', {}, secret);
}
/**
 * Prepends inputPath to the PATH (for this action and future actions)
 * @param inputPath
 */
function addPath(inputPath) {
    const filePath = process.env['GITHUB_PATH'] || '';
    if (filePath) {
        issueFileCommand('PATH', inputPath);
    }
    else {
        issueCommand('add-path', {}, inputPath);
    }
    process.env['PATH'] = `${inputPath}${path.delimiter}${process.env['PATH']}`;
}
/**
 * Gets the value of an input.
 * Unless trimWhitespace is set to false in InputOptions, the value is also trimmed.
 * Returns an empty string if the value is not defined.
 *
 * @param     name     name of the input to get
 * @param     options  optional. See InputOptions.
 * @returns   string
 */
function getInput(name, options) {
    const val = process.env[`INPUT_${name.replace(/ /g, '_').toUpperCase()}`] || '';
    if (options && options.required && !val) {
        throw new Error(`Input required and not supplied: ${name}`);
    }
    if (options && options.trimWhitespace === false) {
        return val;
    }
    return val.trim();
}
/**
 * Gets the values of an multiline input.  Each value is also trimmed.
 *
 * @param     name     name of the input to get
 * @param     options  optional. See InputOptions.
 * @returns   string[]
 *
 */
function getMultilineInput(name, options) {
    const inputs = getInput(name, options)
        .split('\n')
        .filter(x => x !== '');
    if (options && options.trimWhitespace === false) {
        return inputs;
    }
    return inputs.map(input => input.trim());
}
/**
 * Gets the input value of the boolean type in the YAML 1.2 "core schema" specification.
 * Support boolean input list: `true | True | TRUE | false | False | FALSE` .
 * The return value is also in boolean type.
 * ref: https://yaml.org/spec/1.2/spec.html#id2804923
 *
 * @param     name     name of the input to get
 * @param     options  optional. See InputOptions.
 * @returns   boolean
 */
function getBooleanInput(name, options) {
    const trueValue = ['true', 'True', 'TRUE'];
    const falseValue = ['false', 'False', 'FALSE'];
    const val = getInput(name, options);
    if (trueValue.includes(val))
        return true;
    if (falseValue.includes(val))
        return false;
    throw new TypeError(`Input does not meet YAML 1.2 "Core Schema" specification: ${name}\n` +
        `Support boolean input list: \`true | True | TRUE | false | False | FALSE\``);
}
/**
 * Sets the value of an output.
 *
 * @param     name     name of the output to set
 * @param     value    value to store. Non-string values will be converted to a string via JSON.stringify
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
function setOutput(name, value) {
    const filePath = process.env['GITHUB_OUTPUT'] || '';
    if (filePath) {
        return file_command_issueFileCommand('OUTPUT', file_command_prepareKeyValueMessage(name, value));
    }
    process.stdout.write(external_os_.EOL);
    command_issueCommand('set-output', { name }, utils_toCommandValue(value));
}
/**
 * Enables or disables the echoing of commands into stdout for the rest of the step.
 * Echoing is disabled by default if ACTIONS_STEP_DEBUG is not set.
 *
 */
function setCommandEcho(enabled) {
    issue('echo', enabled ? 'on' : 'off');
}
//-----------------------------------------------------------------------
// Results
//-----------------------------------------------------------------------
/**
 * Sets the action status to failed.
 * When the action exits it will be with an exit code of 1
 * @param message add error issue message
 */
function setFailed(message) {
    process.exitCode = ExitCode.Failure;
    error(message);
}
//-----------------------------------------------------------------------
// Logging Commands
//-----------------------------------------------------------------------
/**
 * Gets whether Actions Step Debug is on or not
 */
function isDebug() {
    return process.env['RUNNER_DEBUG'] === '1';
}
/**
 * Writes debug message to user log
 * @param message debug message
 */
function core_debug(message) {
    issueCommand('debug', {}, message);
}
/**
 * Adds an error issue
 * @param message error issue message. Errors will be converted to string via toString()
 * @param properties optional properties to add to the annotation.
 */
function error(message, properties = {}) {
    command_issueCommand('error', utils_toCommandProperties(properties), message instanceof Error ? message.toString() : message);
}
/**
 * Adds a warning issue
 * @param message warning issue message. Errors will be converted to string via toString()
 * @param properties optional properties to add to the annotation.
 */
function warning(message, properties = {}) {
    command_issueCommand('warning', utils_toCommandProperties(properties), message instanceof Error ? message.toString() : message);
}
/**
 * Adds a notice issue
 * @param message notice issue message. Errors will be converted to string via toString()
 * @param properties optional properties to add to the annotation.
 */
function notice(message, properties = {}) {
    issueCommand('notice', toCommandProperties(properties), message instanceof Error ? message.toString() : message);
}
/**
 * Writes info to log with console.log.
 * @param message info message
 */
function info(message) {
    process.stdout.write(message + external_os_.EOL);
}
/**
 * Begin an output group.
 *
 * Output until the next `groupEnd` will be foldable in this group
 *
 * @param name The name of the output group
 */
function startGroup(name) {
    command_issue('group', name);
}
/**
 * End an output group.
 */
function endGroup() {
    command_issue('endgroup');
}
/**
 * Wrap an asynchronous function call in a group.
 *
 * Returns the same type as the function itself.
 *
 * @param name The name of the group
 * @param fn The function to wrap in the group
 */
function group(name, fn) {
    return core_awaiter(this, void 0, void 0, function* () {
        startGroup(name);
        let result;
        try {
            result = yield fn();
        }
        finally {
            endGroup();
        }
        return result;
    });
}
//-----------------------------------------------------------------------
// Wrapper action state
//-----------------------------------------------------------------------
/**
 * Saves state for current action, the state can only be retrieved by this action's post job execution.
 *
 * @param     name     name of the state to store
 * @param     value    value to store. Non-string values will be converted to a string via JSON.stringify
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
function saveState(name, value) {
    const filePath = process.env['GITHUB_STATE'] || '';
    if (filePath) {
        return file_command_issueFileCommand('STATE', file_command_prepareKeyValueMessage(name, value));
    }
    command_issueCommand('save-state', { name }, utils_toCommandValue(value));
}
/**
 * Gets the value of an state set by this action's main execution.
 *
 * @param     name     name of the state to get
 * @returns   string
 */
function getState(name) {
    return process.env[`STATE_${name}`] || '';
}
function getIDToken(aud) {
    return core_awaiter(this, void 0, void 0, function* () {
        return yield OidcClient.getIDToken(aud);
    });
}
/**
 * Summary exports
 */

/**
 * @deprecated use core.summary
 */

/**
 * Path exports
 */

/**
 * Platform utilities exports
 */

//# sourceMappingURL=core.js.map
;// CONCATENATED MODULE: ./lib/action/cancelled-error.js
/** The platform asked this step to stop. Not a fault: post gives back what is rented. */
class CancelledError extends Error {
    name = "CancelledError";
    constructor(signal) {
        super(`Stopped by ${signal}. The post step gives back whatever is rented.`);
    }
}

;// CONCATENATED MODULE: ./lib/shared/foreign-text.js
const LONGEST = 300;
/** A key, a token, a piece of a configuration: much unbroken base64, base64url or hex. */
const LONG_WORD = /[A-Za-z0-9+/_=-]{32,}/g;
/**
 * Makes foreign text (offers, `status_msg`, job names, error bodies) fit for one line: control
 * characters and line breaks become blanks; cut at 300 characters.
 */
function oneLine(text, longest = LONGEST) {
    // \p{Cc}, \p{Cf}: controls, and invisible ones (bidi overrides) that change how a line reads.
    const flat = text
        .toWellFormed()
        .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
        .replace(/ {2,}/g, " ")
        .trim();
    // Half a character at the cut would be a broken one.
    return flat.length <= longest ? flat : `${flat.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
/**
 * Takes out every long word that looks like base64 or hex. A host may say the environment that it
 * was given, cut anywhere, and the platform masks whole secrets only.
 */
function withoutKeys(text) {
    return text.replace(LONG_WORD, (word) => (isKeyLike(word) ? `[${word.length} characters]` : word));
}
/** Not a ruler, a name of small letters only, or a path, such as that of an image. */
function isKeyLike(word) {
    const has = (pattern) => pattern.test(word);
    if (has(/[a-z]/) && has(/[A-Z]/))
        return true;
    return has(/[a-z]/i) && has(/\d/) && !word.includes("/");
}
/** Keeps a line from being a workflow command: `::name::` at its start, `##[name]` anywhere. */
function withoutCommands(line) {
    // The runner trims NEL (U+0085), too. Blanks have no line ends: many empty lines stay fast.
    return line.replace(/^((?:[^\S\r\n\u2028\u2029]|\u0085)*):(?=:)/gm, "$1: ").replace(/##\[/g, "## [");
}
/** Takes from text the power to be Markdown or HTML in a job summary, inside a table cell too. */
function withoutMarkdown(text, longest = LONGEST) {
    // The dot behind www: it alone makes a link of what follows.
    return oneLine(text, longest).replace(/[\\`*_{}[\]()#+!|<>~&@:/$-]|(?<=www)\./gi, (character) => `&#${character.charCodeAt(0)};`);
}

;// CONCATENATED MODULE: ./lib/shared/user-error.js
/**
 * The base of every fault that we foresaw, shown without a stack; all else is a bug of ours. Its
 * message stands alone: first what failed, then what may still bill.
 */
class UserError extends Error {
    name = "UserError";
    hint;
    kind;
    isPassing;
    constructor(message, options = {}) {
        super(message, "cause" in options ? { cause: options.cause } : undefined);
        this.hint = options.hint;
        this.kind = options.kind ?? "other";
        this.isPassing = options.isPassing ?? false;
    }
    /** Says one thing more at its end, if it does not yet, and is the same error. */
    and(sentence) {
        if (!this.message.includes(sentence))
            this.message += `${/[.!?]$/.test(this.message) ? "" : "."} ${sentence}`;
        return this;
    }
}
/** True for a fault that may be gone a moment later. */
function isPassing(error) {
    return error instanceof UserError && error.isPassing;
}

;// CONCATENATED MODULE: ./lib/report/report-failure.js




/**
 * The only place that turns an error into a red step. Accepts whatever was thrown. `billing`: a
 * sentence on what may still bill, added where the error lacks it.
 */
function reportFailure(error, billing = "") {
    process.exitCode = 1;
    if (error instanceof CancelledError) {
        info(error.message);
    }
    else if (error instanceof UserError) {
        tell(error.name, error.and(billing).message, error.hint);
    }
    else {
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
        const hint = "report it with this log, and see in the service's console that nothing is rented.";
        tell("Bug", `This is a bug of ephemeral-gpu-runner: ${text} ${billing}`.trim(), hint);
    }
}
/** People see only the annotation on a run's page: it says what to do, too, and whose it is. */
function tell(title, message, hint) {
    const toDo = hint === undefined ? [] : [`What to do: ${hint}`];
    error(withoutCommands([message, ...toDo, ...jobLine()].join("\n")), { title });
    for (const line of toDo)
        info(withoutCommands(line));
}
/** The name and page of this job, as the platform tells them; else the run's page. */
function jobLine() {
    const { GITHUB_JOB: job, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run, GITHUB_SERVER_URL: server } = process.env;
    if (!job)
        return [];
    const id = getInput("job-check-run-id");
    const page = id === "" ? "" : `/job/${id}`;
    return [`Job: '${job}'${repository && run && server ? `, ${server}/${repository}/actions/runs/${run}${page}` : ""}`];
}

;// CONCATENATED MODULE: ./lib/action/run-entry.js


/** Runs the story of an entry: signals become an abort, errors a red step. */
async function runEntry(story) {
    const cancel = new AbortController();
    const onSignal = (name) => cancel.abort(new CancelledError(name));
    process.once("SIGINT", onSignal).once("SIGTERM", onSignal);
    try {
        await story(cancel.signal);
    }
    catch (error) {
        reportFailure(error);
    }
    finally {
        process.removeListener("SIGINT", onSignal).removeListener("SIGTERM", onSignal);
    }
}

;// CONCATENATED MODULE: ./lib/shared/poll.js
/** Looks, at least once, until it is decided; undefined when the time is over. */
async function poll(look, options) {
    for (;;) {
        const answer = await look();
        if (answer !== undefined && answer !== false)
            return answer;
        const left = options.until - options.clock.now();
        if (left <= 0)
            return undefined;
        await options.clock.sleep(Math.min(options.intervalMs, left), options.signal);
    }
}
/** Looks at these times after the start, in ms; undefined when the last decided nothing. */
async function lookAt(moments, look, options) {
    const start = options.clock.now();
    for (const moment of moments) {
        await options.clock.sleep(start + moment - options.clock.now(), options.signal);
        const answer = await look();
        if (answer !== undefined && answer !== false)
            return answer;
    }
    return undefined;
}

;// CONCATENATED MODULE: ./node_modules/zod/v4/core/util.js

// functions
function assertEqual(val) {
    return val;
}
function assertNotEqual(val) {
    return val;
}
function toZod() {
    return (schema) => schema;
}
function assertIs(_arg) { }
function assertNever(_x) {
    throw new Error("Unexpected value in exhaustive check");
}
function assert(_) { }
function getEnumValues(entries) {
    const numericValues = Object.values(entries).filter((v) => typeof v === "number");
    const values = Object.entries(entries)
        .filter(([k, _]) => numericValues.indexOf(+k) === -1)
        .map(([_, v]) => v);
    return values;
}
function joinValues(array, separator = "|") {
    return array.map((val) => stringifyPrimitive(val)).join(separator);
}
function jsonStringifyReplacer(_, value) {
    if (typeof value === "bigint")
        return value.toString();
    return value;
}
// the accessor lives on a shared prototype: an own accessor makes every box a dictionary-mode object (~360 B and a slow load per read against ~100 B and an inlined getter here)
class Cached {
    constructor(getter) {
        this._getter = getter;
        this._value = undefined;
    }
    get value() {
        const getter = this._getter;
        if (getter !== undefined) {
            this._value = getter();
            this._getter = undefined;
        }
        return this._value;
    }
}
function cached(getter) {
    return new Cached(getter);
}
function nullish(input) {
    return input === null || input === undefined;
}
function cleanRegex(source) {
    const start = source.startsWith("^") ? 1 : 0;
    const end = source.endsWith("$") ? source.length - 1 : source.length;
    return source.slice(start, end);
}
function floatSafeRemainder(val, step) {
    const ratio = val / step;
    const roundedRatio = Math.round(ratio);
    // `val` and `step` each round to a double before the division rounds again, so a true decimal multiple's quotient can sit up to 1.5 of these scaled epsilons from the integer. A 1x tolerance therefore rejected 2.03 as a multiple of 0.07; 4x covers the worst case with margin.
    const tolerance = 4 * Number.EPSILON * Math.max(Math.abs(ratio), 1);
    if (Math.abs(ratio - roundedRatio) < tolerance)
        return 0;
    return ratio - roundedRatio;
}
const EVALUATING = /* @__PURE__*/ (/* unused pure expression or super */ null && (Symbol("evaluating")));
function defineLazy(object, key, getter) {
    let value = undefined;
    Object.defineProperty(object, key, {
        get() {
            if (value === EVALUATING) {
                // Circular reference detected, return undefined to break the cycle
                return undefined;
            }
            if (value === undefined) {
                value = EVALUATING;
                value = getter();
            }
            return value;
        },
        set(v) {
            Object.defineProperty(object, key, {
                value: v,
                // configurable: true,
            });
            // object[key] = v;
        },
        configurable: true,
    });
}
function objectClone(obj) {
    return Object.create(Object.getPrototypeOf(obj), Object.getOwnPropertyDescriptors(obj));
}
function util_assignProp(target, prop, value) {
    Object.defineProperty(target, prop, {
        value,
        writable: true,
        enumerable: true,
        configurable: true,
    });
}
/**
 * Whichever object a def's `shape` currently answers from: the one the caller passed until the first read, the frozen copy after it.
 *
 * Its keys and descriptors read without invoking anything, which is what lets a discriminated union check its discriminator, and the cycle walk read a shape, without resolving a getter that references the schema being constructed. A def that answers `shape` from an accessor of its own has none.
 */
function rawShape(def) {
    const desc = Object.getOwnPropertyDescriptor(def, "shape");
    return desc?.get ? desc.get.raw : desc?.value;
}
// where a builder reads its source's keys and descriptors, resolving only a shape a def answers for itself. A shape resolves by object spread, so only its enumerable keys are ever part of it.
function sourceShape(schema) {
    return rawShape(schema._zod.def) ?? schema._zod.def.shape;
}
// a key whose value is not settled yet, self-caching so every read after the first gets the same one
function deferProp(target, key, getter) {
    Object.defineProperty(target, key, {
        get() {
            const value = getter();
            util_assignProp(this, key, value);
            return value;
        },
        enumerable: true,
        configurable: true,
    });
}
// Writes a settled key. A plain assignment is much cheaper than `defineProperty` and produces the same descriptor, but it runs whatever setter already answers to the key — an accessor this shape deferred, or an inherited one, which `__proto__` has on every object and prototype pollution can add for any name.
function putProp(target, key, value) {
    if (key in target)
        util_assignProp(target, key, value);
    else
        target[key] = value;
}
/**
 * Copies `keys` of `source`'s shape onto `target`, each value passed through `wrap`.
 *
 * A key the source has resolved is copied through now, so the derived shape states it outright and nothing has to resolve it to learn what it holds. A key the source still defers stays deferred, and reads back through the source's own `shape`, so it resolves once and both shapes get that one schema.
 */
function mirrorShape(target, source, keys, wrap) {
    const raw = sourceShape(source);
    for (const key of keys) {
        const desc = Object.getOwnPropertyDescriptor(raw, key);
        if (!desc.enumerable)
            continue;
        if (desc.get) {
            deferProp(target, key, () => {
                const value = source._zod.def.shape[key];
                return wrap ? wrap(value, key) : value;
            });
        }
        else
            putProp(target, key, wrap ? wrap(desc.value, key) : desc.value);
    }
}
// same, for a plain shape a caller passed rather than a schema's
function mirrorProps(target, source) {
    for (const key of Reflect.ownKeys(source)) {
        const desc = Object.getOwnPropertyDescriptor(source, key);
        if (!desc.enumerable)
            continue;
        if (desc.get)
            deferProp(target, key, () => source[key]);
        else
            putProp(target, key, desc.value);
    }
}
function mergeDefs(...defs) {
    const mergedDescriptors = {};
    for (const def of defs) {
        const descriptors = Object.getOwnPropertyDescriptors(def);
        Object.assign(mergedDescriptors, descriptors);
    }
    return Object.defineProperties({}, mergedDescriptors);
}
function cloneDef(schema) {
    return mergeDefs(schema._zod.def);
}
function getElementAtPath(obj, path) {
    if (!path)
        return obj;
    return path.reduce((acc, key) => acc?.[key], obj);
}
function promiseAllObject(promisesObj) {
    const keys = Object.keys(promisesObj);
    const promises = keys.map((key) => promisesObj[key]);
    return Promise.all(promises).then((results) => {
        const resolvedObj = {};
        for (let i = 0; i < keys.length; i++) {
            resolvedObj[keys[i]] = results[i];
        }
        return resolvedObj;
    });
}
function randomString(length = 10) {
    const chars = "abcdefghijklmnopqrstuvwxyz";
    let str = "";
    for (let i = 0; i < length; i++) {
        str += chars[Math.floor(Math.random() * chars.length)];
    }
    return str;
}
function esc(str) {
    return JSON.stringify(str);
}
function slugify(input) {
    return input
        .toLowerCase()
        .trim()
        .replace(/[^\w\s-]/g, "")
        .replace(/[\s_-]+/g, "-")
        .replace(/^-+|-+$/g, "");
}
const captureStackTrace = ("captureStackTrace" in Error ? Error.captureStackTrace : (..._args) => { });
function util_isObject(data) {
    return typeof data === "object" && data !== null && !Array.isArray(data);
}
const util_allowsEval = /* @__PURE__*/ cached(() => {
    // Skip the probe under `jitless`: strict CSPs report the caught `new Function` as a `securitypolicyviolation` even though the throw is swallowed.
    if (globalConfig.jitless) {
        return false;
    }
    // @ts-ignore
    if (typeof navigator !== "undefined" && navigator?.userAgent?.includes("Cloudflare")) {
        return false;
    }
    try {
        const F = Function;
        new F("");
        return true;
    }
    catch (_) {
        return false;
    }
});
function isPlainObject(o) {
    if (util_isObject(o) === false)
        return false;
    // modified constructor
    const ctor = o.constructor;
    if (ctor === undefined)
        return true;
    if (typeof ctor !== "function")
        return true;
    // modified prototype
    const prot = ctor.prototype;
    if (util_isObject(prot) === false)
        return false;
    // ctor doesn't have static `isPrototypeOf`
    if (Object.prototype.hasOwnProperty.call(prot, "isPrototypeOf") === false) {
        return false;
    }
    return true;
}
function shallowClone(o) {
    if (isPlainObject(o))
        return { ...o };
    if (Array.isArray(o))
        return [...o];
    if (o instanceof Map)
        return new Map(o);
    if (o instanceof Set)
        return new Set(o);
    return o;
}
function numKeys(data) {
    let keyCount = 0;
    for (const key in data) {
        if (Object.prototype.hasOwnProperty.call(data, key)) {
            keyCount++;
        }
    }
    return keyCount;
}
const getParsedType = (data) => {
    const t = typeof data;
    switch (t) {
        case "undefined":
            return "undefined";
        case "string":
            return "string";
        case "number":
            return Number.isNaN(data) ? "nan" : "number";
        case "boolean":
            return "boolean";
        case "function":
            return "function";
        case "bigint":
            return "bigint";
        case "symbol":
            return "symbol";
        case "object":
            if (Array.isArray(data)) {
                return "array";
            }
            if (data === null) {
                return "null";
            }
            if (data.then && typeof data.then === "function" && data.catch && typeof data.catch === "function") {
                return "promise";
            }
            if (typeof Map !== "undefined" && data instanceof Map) {
                return "map";
            }
            if (typeof Set !== "undefined" && data instanceof Set) {
                return "set";
            }
            if (typeof Date !== "undefined" && data instanceof Date) {
                return "date";
            }
            // @ts-ignore
            if (typeof File !== "undefined" && data instanceof File) {
                return "file";
            }
            return "object";
        default:
            throw new Error(`Unknown data type: ${t}`);
    }
};
const propertyKeyTypes = /* @__PURE__*/ new Set(["string", "number", "symbol"]);
const primitiveTypes = /* @__PURE__*/ new Set([
    "string",
    "number",
    "bigint",
    "boolean",
    "symbol",
    "undefined",
]);
function escapeRegex(str) {
    return str.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
// zod-specific utils
function clone(inst, def, params) {
    const cl = new inst._zod.constr(def ?? inst._zod.def);
    if (!def || params?.parent)
        cl._zod.parent = inst;
    return cl;
}
function normalizeParams(_params) {
    const params = _params;
    if (!params)
        return {};
    if (typeof params === "string")
        return { error: () => params };
    if (params?.message !== undefined) {
        if (params?.error !== undefined)
            throw new Error("Cannot specify both `message` and `error` params");
        params.error = params.message;
    }
    delete params.message;
    if (typeof params.error === "string")
        return { ...params, error: () => params.error };
    return params;
}
function createTransparentProxy(getter) {
    let target;
    return new Proxy({}, {
        get(_, prop, receiver) {
            target ?? (target = getter());
            return Reflect.get(target, prop, receiver);
        },
        set(_, prop, value, receiver) {
            target ?? (target = getter());
            return Reflect.set(target, prop, value, receiver);
        },
        has(_, prop) {
            target ?? (target = getter());
            return Reflect.has(target, prop);
        },
        deleteProperty(_, prop) {
            target ?? (target = getter());
            return Reflect.deleteProperty(target, prop);
        },
        ownKeys(_) {
            target ?? (target = getter());
            return Reflect.ownKeys(target);
        },
        getOwnPropertyDescriptor(_, prop) {
            target ?? (target = getter());
            return Reflect.getOwnPropertyDescriptor(target, prop);
        },
        defineProperty(_, prop, descriptor) {
            target ?? (target = getter());
            return Reflect.defineProperty(target, prop, descriptor);
        },
    });
}
function stringifyPrimitive(value) {
    if (typeof value === "bigint")
        return value.toString() + "n";
    if (typeof value === "string")
        return `"${value}"`;
    return `${value}`;
}
function optionalKeys(shape) {
    return Object.keys(shape).filter((k) => {
        return shape[k]._zod.optin !== undefined && shape[k]._zod.optout === "optional";
    });
}
// Wrapped in a `@__PURE__` IIFE: esbuild never tree-shakes a top-level initializer that contains a member access on `Number`, so the bare object literal survived into every bundle.
const NUMBER_FORMAT_RANGES = /*@__PURE__*/ (() => ({
    safeint: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    int32: [-2147483648, 2147483647],
    uint32: [0, 4294967295],
    float32: [-3.4028234663852886e38, 3.4028234663852886e38],
    float64: [-Number.MAX_VALUE, Number.MAX_VALUE],
}))();
const BIGINT_FORMAT_RANGES = {
    int64: [/* @__PURE__*/ BigInt("-9223372036854775808"), /* @__PURE__*/ BigInt("9223372036854775807")],
    uint64: [/* @__PURE__*/ BigInt(0), /* @__PURE__*/ BigInt("18446744073709551615")],
};
function pick(schema, mask) {
    const currDef = schema._zod.def;
    const checks = currDef.checks;
    const hasChecks = checks && checks.length > 0;
    if (hasChecks) {
        throw new Error(".pick() cannot be used on object schemas containing refinements");
    }
    const newShape = {};
    mirrorShape(newShape, schema, maskedKeys(schema, mask));
    return clone(schema, mergeDefs(currDef, { shape: newShape, checks: [] }));
}
// the mask keys that select something, checked against the source's shape without resolving it
function maskedKeys(schema, mask) {
    const raw = sourceShape(schema);
    const keys = [];
    // `for...in` skips symbols, so a symbol in the mask would select nothing
    for (const key of Reflect.ownKeys(mask)) {
        if (!Object.getOwnPropertyDescriptor(raw, key)?.enumerable) {
            throw new Error(`Unrecognized key: "${String(key)}"`);
        }
        if (mask[key])
            keys.push(key);
    }
    return keys;
}
function omit(schema, mask) {
    const currDef = schema._zod.def;
    const checks = currDef.checks;
    const hasChecks = checks && checks.length > 0;
    if (hasChecks) {
        throw new Error(".omit() cannot be used on object schemas containing refinements");
    }
    const omitted = new Set(maskedKeys(schema, mask));
    const newShape = {};
    mirrorShape(newShape, schema, Reflect.ownKeys(sourceShape(schema)).filter((key) => !omitted.has(key)));
    return clone(schema, mergeDefs(currDef, { shape: newShape, checks: [] }));
}
function extend(schema, shape) {
    if (!isPlainObject(shape)) {
        throw new Error("Invalid input to extend: expected a plain object");
    }
    const checks = schema._zod.def.checks;
    const hasChecks = checks && checks.length > 0;
    if (hasChecks) {
        // Only throw if new shape overlaps with existing shape. Use getOwnPropertyDescriptor to check key existence without accessing values
        const existingShape = sourceShape(schema);
        for (const key of Reflect.ownKeys(shape)) {
            if (Object.getOwnPropertyDescriptor(existingShape, key) !== undefined) {
                throw new Error("Cannot overwrite keys on object schemas containing refinements. Use `.safeExtend()` instead.");
            }
        }
    }
    return clone(schema, mergeDefs(schema._zod.def, { shape: extended(schema, shape) }));
}
// the source's keys, then the caller's overlaid on top
function extended(schema, shape) {
    const newShape = {};
    mirrorShape(newShape, schema, Reflect.ownKeys(sourceShape(schema)));
    mirrorProps(newShape, shape);
    return newShape;
}
function safeExtend(schema, shape) {
    if (!isPlainObject(shape)) {
        throw new Error("Invalid input to safeExtend: expected a plain object");
    }
    return clone(schema, mergeDefs(schema._zod.def, { shape: extended(schema, shape) }));
}
function merge(a, b) {
    if (!b?._zod?.def) {
        throw new Error("Invalid input to merge: expected an object schema. To merge a plain shape, use `.extend()`.");
    }
    if (a._zod.def.checks?.length) {
        throw new Error(".merge() cannot be used on object schemas containing refinements. Use .safeExtend() instead.");
    }
    const newShape = {};
    mirrorShape(newShape, a, Reflect.ownKeys(sourceShape(a)));
    mirrorShape(newShape, b, Reflect.ownKeys(sourceShape(b)));
    const def = mergeDefs(a._zod.def, {
        shape: newShape,
        get catchall() {
            return b._zod.def.catchall;
        },
        checks: b._zod.def.checks ?? [],
    });
    return clone(a, def);
}
function partial(Class, schema, mask, name = "partial") {
    const currDef = schema._zod.def;
    const checks = currDef.checks;
    const hasChecks = checks && checks.length > 0;
    if (hasChecks) {
        throw new Error(`.${name}() cannot be used on object schemas containing refinements`);
    }
    const selected = mask ? new Set(maskedKeys(schema, mask)) : undefined;
    const newShape = {};
    mirrorShape(newShape, schema, Reflect.ownKeys(sourceShape(schema)), Class &&
        ((value, key) => (selected && !selected.has(key) ? value : new Class({ type: "optional", innerType: value }))));
    return clone(schema, mergeDefs(schema._zod.def, { shape: newShape, checks: [] }));
}
function required(Class, schema, mask) {
    const selected = mask ? new Set(maskedKeys(schema, mask)) : undefined;
    const newShape = {};
    mirrorShape(newShape, schema, Reflect.ownKeys(sourceShape(schema)), (value, key) => 
    // overwrite with non-optional
    selected && !selected.has(key) ? value : new Class({ type: "nonoptional", innerType: value }));
    return clone(schema, mergeDefs(schema._zod.def, { shape: newShape }));
}
// invalid_type | too_big | too_small | invalid_format | not_multiple_of | unrecognized_keys | invalid_union | invalid_key | invalid_element | invalid_value | custom
function aborted(x, startIndex = 0) {
    if (x.aborted === true)
        return true;
    for (let i = startIndex; i < x.issues.length; i++) {
        if (x.issues[i]?.continue !== true) {
            return true;
        }
    }
    return false;
}
// Checks for explicit abort (continue === false), as opposed to implicit abort (continue === undefined). Used to respect `abort: true` in .refine() even for checks that have a `when` function.
function explicitlyAborted(x, startIndex = 0) {
    if (x.aborted === true)
        return true;
    for (let i = startIndex; i < x.issues.length; i++) {
        if (x.issues[i]?.continue === false) {
            return true;
        }
    }
    return false;
}
function prefixIssues(path, issues) {
    return issues.map((iss) => {
        var _a;
        (_a = iss).path ?? (_a.path = []);
        iss.path.unshift(path);
        return iss;
    });
}
function unwrapMessage(message) {
    return typeof message === "string" ? message : message?.message;
}
/* A check holds no link back to the schema it is attached to — the same check instance is shared by every clone of that schema — so the owner is stamped onto the issues a check just raised, at the only point where both are in scope. Runs on the failure path only; `start` is the issue count from before the check ran. */
/** The leading size checks of `defChecks` that set an upper bound, each paired with it. */
function sizeCaps(defChecks) {
    const caps = [];
    for (const ch of defChecks ?? []) {
        const d = ch._zod.def;
        // a later check may rewrite the value
        if (!/_(length|size)$|_equals$/.test(d.check))
            break;
        const max = d.maximum ?? d.length ?? d.size;
        if (max >= 0)
            caps.push([max, ch]);
    }
    return caps;
}
function attachSchema(issues, start, inst) {
    var _a;
    for (let i = start; i < issues.length; i++) {
        (_a = issues[i]).schema ?? (_a.schema = inst);
    }
}
function finalizeIssue(iss, ctx, config) {
    var _a;
    // A schema that raised an issue itself owns it outright, and outranks any stamp an enclosing check left in `attachSchema`. String formats and z.custom() are schema and check at once, so when they act as a check they defer to that stamp instead.
    const traits = iss.inst?._zod?.traits;
    if (traits?.has("$ZodType")) {
        if (traits.has("$ZodCheck"))
            (_a = iss).schema ?? (_a.schema = iss.inst);
        else
            iss.schema = iss.inst;
    }
    // Decreasing specificity, first map to return a message wins. `inst` is whatever raised the issue, so a check's own map outranks the owning schema's.
    const schemaError = iss.schema !== iss.inst ? iss.schema?._zod.def?.error : undefined;
    const message = iss.message
        ? iss.message
        : (unwrapMessage(iss.inst?._zod.def?.error?.(iss)) ??
            unwrapMessage(schemaError?.(iss)) ??
            unwrapMessage(ctx?.error?.(iss)) ??
            unwrapMessage(config.customError?.(iss)) ??
            unwrapMessage(config.localeError?.(iss)) ??
            "Invalid input");
    // an explicit own-key copy beats object rest with excluded keys, which v8 routes through a generic runtime call; Object.keys rather than for-in so an issue pushed with a prototype does not leak inherited keys, and an own __proto__ key is dropped rather than assigned through the setter
    const full = {};
    for (const k of Object.keys(iss)) {
        if (k === "inst" || k === "schema" || k === "continue" || k === "input" || k === "__proto__")
            continue;
        full[k] = iss[k];
    }
    full.path ?? (full.path = []);
    full.message = message;
    if (ctx?.reportInput) {
        full.input = iss.input;
    }
    return full;
}
function getSizableOrigin(input) {
    if (input instanceof Set)
        return "set";
    if (input instanceof Map)
        return "map";
    // @ts-ignore
    if (input instanceof File)
        return "file";
    return "unknown";
}
const highSurrogate = /[\uD800-\uDBFF]/;
// Code points in `str`: a surrogate pair counts once, a lone surrogate as itself. Hand-rolled because the string iterator allocates and runs ~250x slower on this path; the regex probe exits ~50x quicker for a string with no astral characters.
function codePointLength(str) {
    const units = str.length;
    if (!highSurrogate.test(str))
        return units;
    let count = units;
    for (let i = 0; i < units - 1; i++) {
        if ((str.charCodeAt(i) & 0xfc00) === 0xd800 && (str.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
            count--;
            i++;
        }
    }
    return count;
}
function getLengthableOrigin(input) {
    if (Array.isArray(input))
        return "array";
    if (typeof input === "string")
        return "string";
    return "unknown";
}
function parsedType(data) {
    const t = typeof data;
    switch (t) {
        case "number": {
            return Number.isNaN(data) ? "nan" : "number";
        }
        case "object": {
            if (data === null) {
                return "null";
            }
            if (Array.isArray(data)) {
                return "array";
            }
            const obj = data;
            if (obj && Object.getPrototypeOf(obj) !== Object.prototype && "constructor" in obj && obj.constructor) {
                return obj.constructor.name;
            }
        }
    }
    return t;
}
function util_issue(...args) {
    const [iss, input, inst] = args;
    if (typeof iss === "string") {
        return {
            message: iss,
            code: "custom",
            input,
            inst,
        };
    }
    return { ...iss };
}
function cleanEnum(obj) {
    return Object.entries(obj)
        .filter(([k, _]) => {
        // return true if NaN, meaning it's not a number, thus a string key
        return Number.isNaN(Number.parseInt(k, 10));
    })
        .map((el) => el[1]);
}
// Codec utility functions
function base64ToUint8Array(base64) {
    const binaryString = atob(base64);
    const bytes = new Uint8Array(binaryString.length);
    for (let i = 0; i < binaryString.length; i++) {
        bytes[i] = binaryString.charCodeAt(i);
    }
    return bytes;
}
function uint8ArrayToBase64(bytes) {
    let binaryString = "";
    for (let i = 0; i < bytes.length; i++) {
        binaryString += String.fromCharCode(bytes[i]);
    }
    return btoa(binaryString);
}
function base64urlToUint8Array(base64url) {
    const base64 = base64url.replace(/-/g, "+").replace(/_/g, "/");
    const padding = "=".repeat((4 - (base64.length % 4)) % 4);
    return base64ToUint8Array(base64 + padding);
}
function uint8ArrayToBase64url(bytes) {
    return uint8ArrayToBase64(bytes).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
}
function hexToUint8Array(hex) {
    const cleanHex = hex.replace(/^0x/, "");
    if (cleanHex.length % 2 !== 0) {
        throw new Error("Invalid hex string length");
    }
    const bytes = new Uint8Array(cleanHex.length / 2);
    for (let i = 0; i < cleanHex.length; i += 2) {
        bytes[i / 2] = Number.parseInt(cleanHex.slice(i, i + 2), 16);
    }
    return bytes;
}
function uint8ArrayToHex(bytes) {
    return Array.from(bytes)
        .map((b) => b.toString(16).padStart(2, "0"))
        .join("");
}
// instanceof
class Class {
    constructor(..._args) { }
}
//////////    PROTOTYPE INSTALLERS     //////////
//
// Members live on the prototype and materialize per instance on first read, which keeps own-property count under the step where V8 stops using inline slots. Changing anything here means re-measuring runtime, memory and bundle size together — see "The three axes" in AGENTS.md.
/**
 * Installs a trait's members on its prototype. Each value builds that member for the instance on first read; the built value shadows the accessor as an own property, so a detached `const { parse } = schema` keeps working.
 *
 * Call this from a `proto` initializer, which runs once per prototype — never per instance.
 */
function members(proto, table) {
    for (const key in table) {
        const desc = Object.getOwnPropertyDescriptor(table, key);
        // a getter installs as written, so it stays live: `description` reads through to the registry on every access. not enumerable: an object literal's is, and a prototype member never was
        if (desc.get)
            Object.defineProperty(proto, key, { ...desc, enumerable: false });
        // a method materializes bound on first read, which is what keeps a detached member working: `const opt = schema.optional; opt()`
        else
            defineBound(proto, key, desc.value);
    }
}
/** Shadows a prototype member with an own value, so a getter that builds from the instance runs once. */
function own(inst, key, value, enumerable = true) {
    Object.defineProperty(inst, key, { configurable: true, writable: true, enumerable, value });
    return value;
}
/** Like {@link own}, for a member that was never an own data property and has to stay out of `Object.keys`. */
function hide(inst, key, value) {
    return own(inst, key, value, false);
}
/** Adds members a table derives from the instance: each builds on first read and shadows as own data, and assignment shadows the same way, as when these were own properties. */
function derived(computes, table) {
    for (const key in computes) {
        const compute = computes[key];
        // an object literal's accessor is configurable and enumerable, and `members` copies the descriptor as written
        Object.defineProperty(table, key, {
            configurable: true,
            enumerable: true,
            get() {
                return own(this, key, compute(this));
            },
            set(value) {
                own(this, key, value);
            },
        });
    }
    return table;
}
function defineBound(proto, key, fn) {
    Object.defineProperty(proto, key, {
        configurable: true,
        get() {
            // vitest's spyOn calls a prototype getter bare to find the function it wraps, so a nullish receiver answers the raw method
            return this == null ? fn : own(this, key, fn.bind(this));
        },
        set(value) {
            own(this, key, value);
        },
    });
}
/** Returns the prototype to install on, or `undefined` if this group is already installed on it. */
function claim(inst, sentinel) {
    const proto = Object.getPrototypeOf(inst);
    // Runs on every construction, so `in` rather than the costlier `hasOwnProperty.call`. Sentinels are keys the group itself defines.
    return sentinel in proto ? undefined : proto;
}
// The internals whose init chain is installing. A second call for the same one is a derived constructor overriding its base, so it must not construct another schema in between or the override is dropped.
let installing;
// Set while a getter is running, so a value that resolved through a recursion break is not memoized. One shared descriptor shadows the key for the duration, which costs no per-key allocation.
let broke = false;
const breaker = {
    configurable: true,
    get() {
        broke = true;
        return undefined;
    },
};
/**
 * Installs a lazily-derived internal on the `_zod` prototype of `inst`'s
 * constructor, computed from the internals object itself and cached there on
 * first read. One accessor per constructor rather than one per instance.
 */
function defineLazyInternal(inst, key, compute) {
    const proto = Object.getPrototypeOf(inst._zod);
    if (key in proto && installing !== inst._zod) {
        // A repeat construction: everything is installed already. Cleared here so the reference is not held past the first construction of every type.
        installing = undefined;
        return;
    }
    installing = inst._zod;
    Object.defineProperty(proto, key, {
        configurable: true,
        get() {
            // Shadowed before computing so a re-entrant read from a recursive schema resolves to undefined instead of running the getter again.
            Object.defineProperty(this, key, breaker);
            const outer = broke;
            broke = false;
            try {
                const value = compute(this);
                // A result that resolved through a recursion break is recomputed once the graph is complete; everything else memoizes, undefined included.
                if (broke)
                    delete this[key];
                else
                    Object.defineProperty(this, key, { configurable: true, writable: true, value });
                broke = broke || outer;
                return value;
            }
            catch (err) {
                // A compute that threw memoizes nothing, so a later read runs it again and fails the same way. The shadow goes with it, since leaving it installed would answer undefined for every later read.
                delete this[key];
                broke = broke || outer;
                throw err;
            }
        },
        set(value) {
            Object.defineProperty(this, key, { configurable: true, writable: true, value });
        },
    });
}
/**
 * Installs `key` on `inst`'s prototype, computed by `make` on first read and cached there as an own
 * data property. One accessor per constructor rather than one per instance, because an own accessor
 * puts every instance after the first into v8 dictionary mode. The key doubles as the sentinel.
 */
function installLazyProp(inst, key, make, enumerable) {
    const proto = claim(inst, key);
    if (!proto)
        return;
    Object.defineProperty(proto, key, {
        configurable: true,
        get() {
            // Shadowed before computing, so a re-entrant read from a self-referential shape resolves to undefined instead of running the getter again. A data property rather than an accessor: an own accessor is the dictionary-mode transition this exists to avoid.
            const desc = { configurable: true, writable: true, enumerable, value: undefined };
            Object.defineProperty(this, key, desc);
            // a compute that throws leaves the shadow behind, so later reads answer undefined instead of re-throwing; `defineLazy` did the same, and `defineLazyInternal`'s delete-on-catch would cost bytes in every bundle for a case only a throwing user getter reaches
            desc.value = make(this);
            Object.defineProperty(this, key, desc);
            return desc.value;
        },
        set(value) {
            Object.defineProperty(this, key, { configurable: true, writable: true, enumerable, value });
        },
    });
}
/** Marks the thunk `_catch` synthesises for a constant catch value. `Function.length` cannot tell that thunk from a user callback — rest and defaulted parameters both report arity 0 — and a user callback reads `ctx.error`, whose issues only finalize correctly against the caller's per-parse error map. Provenance can say what arity cannot. A plain string key rather than `Symbol.for`, whose call at module scope no bundler can prove pure — the same shape that anchored `urlCanParse` into every build. */
const CONSTANT_CATCH = "~constantCatch";
/** Wraps a constant catch value in a thunk tagged with {@link CONSTANT_CATCH}. */
function constantCatch(value) {
    const fn = () => value;
    fn[CONSTANT_CATCH] = true;
    return fn;
}

;// CONCATENATED MODULE: ./node_modules/zod/v4/core/core.js
var _a;

/** A special constant with type `never` */
const NEVER = /*@__PURE__*/ Object.freeze({
    status: "aborted",
});
/* Shared descriptor for installing `_zod`; defineProperty reads it
 * synchronously, so reusing one object avoids a per-instance allocation. */
const _zodDesc = { value: undefined, enumerable: false };
// null where suppressing the capture would be unrecoverable: `parse()` puts the frames back with `captureStackTrace`, so without it the throw would lose its stack. also latched to null once `stackTraceLimit` proves unassignable, which a realm can do at any point by hardening Error
let _E = "captureStackTrace" in Error ? Error : null;
// v8 captures a stack trace inside the Error constructor, which dominates a failed parse; costs only the frames, and parse() restores those. the constructor must RUN: Object.create is cheaper and passes instanceof, but Error.isError and util.types.isNativeError check an internal slot
function newError(Definition) {
    const E = _E;
    if (E) {
        const saved = E.stackTraceLimit;
        if (typeof saved === "number") {
            try {
                E.stackTraceLimit = 0;
            }
            catch {
                _E = null;
                return new Definition();
            }
            try {
                return new Definition();
            }
            finally {
                E.stackTraceLimit = saved;
            }
        }
    }
    return new Definition();
}
function $constructor(name, initializer, 
/** This trait's members, installed once on every prototype that composes it. They cannot be declared in the initializer above: that runs per instance, and the prototype is shared. */
proto, params) {
    // Prototype for this constructor's `_zod` internals. Lazily-derived fields (`values`, `pattern`, `optin`, …) install here once rather than as an accessor on every instance.
    const zodProto = {};
    // Assigning the fields in the constructor body is what gives instances in-object slots; building the object literally and reparenting it costs a second allocation and a generic property copy.
    function Internals(def) {
        this.def = def;
        this.constr = _;
        this.traits = new Set();
    }
    Internals.prototype = zodProto;
    const protoMembers = proto;
    // One trait's members land on every prototype whose chain composes it, so the answer is per prototype rather than per trait.
    const initialized = protoMembers && new WeakSet();
    function init(inst, def) {
        if (!inst._zod) {
            _zodDesc.value = new Internals(def);
            try {
                Object.defineProperty(inst, "_zod", _zodDesc);
            }
            finally {
                // Cleared even on throw, so the shared descriptor never leaks one instance's internals into the next.
                _zodDesc.value = undefined;
            }
        }
        else if (inst._zod.traits.has(name)) {
            return;
        }
        inst._zod.traits.add(name);
        initializer(inst, def);
        if (initialized) {
            // `super(def)` from a user subclass gives `this` a prototype the subclass owns, and installing there would overwrite whatever the subclass declared. `constr` built the instance, so its prototype is the one below the subclass's that should carry the members. A receiver whose chain never reaches that prototype installs on its own, which for a plain object handed straight to `init` means `Object.prototype` — unchanged from before.
            const own = Object.getPrototypeOf(inst);
            const ctorProto = inst._zod.constr.prototype;
            let up = own;
            while (up && up !== ctorProto)
                up = Object.getPrototypeOf(up);
            const target = up ?? own;
            if (!initialized.has(target)) {
                initialized.add(target);
                members(target, protoMembers);
            }
        }
        // support prototype modifications; for-in avoids the array allocation of Object.keys on the (usually empty) prototype
        const proto = _.prototype;
        for (const k in proto) {
            if (!Object.prototype.hasOwnProperty.call(proto, k))
                continue;
            if (!(k in inst)) {
                inst[k] = proto[k].bind(inst);
            }
        }
    }
    // doesn't work if Parent has a constructor with arguments
    const Parent = params?.Parent ?? Object;
    class Definition extends Parent {
    }
    Object.defineProperty(Definition, "name", { value: name });
    function _(def) {
        const inst = params?.Parent ? newError(Definition) : this;
        init(inst, def);
        const deferred = inst._zod.deferred;
        if (deferred) {
            for (const fn of deferred) {
                fn();
            }
            // Released: initializers run once, and the list would otherwise be retained for the schema's lifetime.
            inst._zod.deferred = undefined;
        }
        // Global post-processor hook. Internal: installed by `import "zod/compile"` to enable AOT compilation for every constructed schema. Runs last, once the instance is fully built, because it hands the instance to compile(). The post-processor is expected to be reentrancy-guarded by its own implementation.
        const pp = globalThis.__zod_globalConfig?.postProcessor;
        if (pp)
            pp(inst);
        return inst;
    }
    Object.defineProperty(_, "init", { value: init });
    Object.defineProperty(_, Symbol.hasInstance, {
        value: (inst) => {
            if (params?.Parent && inst instanceof params.Parent)
                return true;
            return inst?._zod?.traits?.has(name);
        },
    });
    Object.defineProperty(_, "name", { value: name });
    return _;
}
//////////////////////////////   UTILITIES   ///////////////////////////////////////
const $brand = /*@__PURE__*/ (/* unused pure expression or super */ null && (Symbol("zod_brand")));
class $ZodAsyncError extends Error {
    constructor() {
        super(`Encountered Promise during synchronous parse. Use .parseAsync() instead.`);
    }
}
class $ZodEncodeError extends Error {
    constructor(name) {
        super(`Encountered unidirectional transform during encode: ${name}`);
        this.name = "ZodEncodeError";
    }
}
(_a = globalThis).__zod_globalConfig ?? (_a.__zod_globalConfig = {});
const globalConfig = globalThis.__zod_globalConfig;
function config(newConfig) {
    if (newConfig)
        Object.assign(globalConfig, newConfig);
    return globalConfig;
}

;// CONCATENATED MODULE: ./node_modules/zod/v4/core/memoizer.js

class $ZodCyclicError extends Error {
    constructor() {
        super(`Cannot parse a reference cycle that closes through a transform`);
        this.name = "ZodCyclicError";
    }
}
/** Keyed off the context object every schema in one parse call already shares. */
const STATE = "~memo";
const NO_ISSUES = [];
// a value a cycle can close through
function isRef(value) {
    return value !== null && typeof value === "object";
}
// Receivers prefix paths in place, so the cache and every hand-out need their own copies.
function cloneIssues(issues) {
    return issues.map((iss) => (iss.path ? { ...iss, path: iss.path.slice() } : { ...iss }));
}
const recursive = /*@__PURE__*/ new WeakMap();
/** What the walk established, in order of certainty: ordered so the strongest answer among children wins. */
const NONE = 0;
const ASSUMED = 1;
const PROVEN = 2;
/** Whether this schema's subtree contains a cycle, so one parse can re-enter it. */
function isRecursive(inst, stack, resolve) {
    const cached = recursive.get(inst);
    if (cached !== undefined)
        return cached ? PROVEN : NONE;
    // Relative to the walk in progress, so not cached.
    if (stack.has(inst))
        return PROVEN;
    stack.add(inst);
    let result = NONE;
    const check = (child) => {
        if (result !== PROVEN && child?._zod) {
            const answer = isRecursive(child, stack, resolve);
            if (answer > result)
                result = answer;
        }
    };
    // `Reflect.ownKeys` rather than `Object.keys`, so a cycle through a declared symbol key is still seen
    const shape = (sh, spread) => {
        let answer = NONE;
        for (const key of Reflect.ownKeys(sh)) {
            const desc = Object.getOwnPropertyDescriptor(sh, key);
            // an object resolves its shape by spread, so a key it does not enumerate is never parsed; `z.properties` reads every own key and so keeps them all
            if (spread && !desc.enumerable)
                continue;
            // resolving runs user code, and a factory mints a fresh subtree per read, so an edge the walk can't follow counts as a cycle
            const child = desc.get ? ASSUMED : desc.value?._zod ? isRecursive(desc.value, stack, resolve) : NONE;
            if (child > answer)
                answer = child;
        }
        return answer;
    };
    const merge = (answer) => {
        if (answer > result)
            result = answer;
    };
    const def = inst._zod.def;
    const kind = def.type;
    switch (kind) {
        case "object": {
            const raw = rawShape(def);
            // a def with no raw shape answers `shape` from an accessor of its own, and running that can mint a whole fresh subtree
            merge(raw ? shape(raw, true) : ASSUMED);
            check(def.catchall);
            break;
        }
        case "array":
            check(def.element);
            break;
        case "tuple":
            for (const el of def.items)
                check(el);
            check(def.rest);
            break;
        case "record":
        case "map":
            check(def.keyType);
            check(def.valueType);
            break;
        case "set":
            check(def.valueType);
            break;
        case "union":
            for (const el of def.options)
                check(el);
            break;
        case "intersection":
            check(def.left);
            check(def.right);
            break;
        case "optional":
        case "nullable":
        case "default":
        case "prefault":
        case "catch":
        case "readonly":
        case "nonoptional":
        case "promise":
        case "success":
            check(def.innerType);
            break;
        case "pipe":
            check(def.in);
            check(def.out);
            break;
        case "function":
            check(def.input);
            check(def.output);
            break;
        // `$ZodLazy` caches its inner on the def, so a resolved edge is followed exactly
        case "lazy": {
            const inner = def._cachedInner ?? (resolve ? inst._zod.innerType : undefined);
            // walked with resolution off: one hop sees past the deferral, and a lazy that yields only another unresolved lazy is generative, so it stops there
            merge(inner ? isRecursive(inner, stack, false) : ASSUMED);
            break;
        }
        // a leaf by choice: `parts` are regex fragments, not data positions
        case "template_literal":
        // leaves
        case "string":
        case "number":
        case "int":
        case "boolean":
        case "bigint":
        case "symbol":
        case "undefined":
        case "null":
        case "void":
        case "never":
        case "any":
        case "unknown":
        case "date":
        case "nan":
        case "enum":
        case "literal":
        case "file":
        case "transform":
        case "custom":
            break;
        default: {
            // a new built-in kind becomes a compile error here
            kind;
            // a user-defined kind can still hold children, and only its author knows where, so fall back to scanning the def — skipping accessors, since reading one can run user code
            for (const key in def) {
                const desc = Object.getOwnPropertyDescriptor(def, key);
                if (!desc || desc.get)
                    continue;
                const value = desc.value;
                if (!value || typeof value !== "object")
                    continue;
                if (value._zod)
                    check(value);
                else if (Array.isArray(value))
                    for (const el of value)
                        check(el);
            }
        }
    }
    stack.delete(inst);
    return settle(inst, result);
}
/** An assumed answer must not outlive the resolution that settles it, so only a certain one is cached. */
function settle(inst, answer) {
    if (answer !== ASSUMED)
        recursive.set(inst, answer === PROVEN);
    return answer;
}
/**
 * Whether one parse can re-enter this schema, i.e. its subtree contains a cycle.
 * Exported for `z.compile`, which refuses to compile such a schema: cycle
 * breaking is driven from here off state keyed on the parse context, and a
 * generated fast path has no context to key on.
 */
function isRecursiveSchema(inst) {
    // z.compile never parses, so nothing would ever resolve a lazy for it; it runs once and already treats a throw here as recursive
    return isRecursive(inst, new Set(), true) !== NONE;
}
function bucketFor(state, inst) {
    let bucket = state.buckets.get(inst);
    if (!bucket) {
        bucket = new WeakMap();
        state.buckets.set(inst, bucket);
    }
    return bucket;
}
// Set immediately before delegating to core and cleared immediately after, so `alloc` registers only for a visit this module is driving.
let handoff;
// Allocated but unfinished entries. `alloc` and the matching pop both happen in the synchronous part of a parse, so they nest even when children are async, and one stack serves every schema.
const memoizer_open = [];
const memo = {
    alloc(_inst, payload, empty) {
        const bucket = handoff;
        if (!bucket)
            return empty;
        handoff = undefined;
        const entry = { value: empty, issues: null };
        bucket.set(payload.value, entry);
        memoizer_open.push(entry);
        return empty;
    },
    guard(inst) {
        var _a;
        (_a = inst._zod).deferred ?? (_a.deferred = []);
        inst._zod.deferred.push(() => {
            const base = inst._zod.parse;
            const wrapped = (payload, ctx) => {
                // The value is a placeholder a back-edge is still waiting on, so the cycle closes through this transform. Its output can't exist in time to bind.
                if (ctx.direction !== "backward" && isBackEdge(ctx, payload.value))
                    throw new $ZodCyclicError();
                return base(payload, ctx);
            };
            inst._zod.parse = wrapped;
            if (inst._zod.run === base)
                inst._zod.run = wrapped;
        });
    },
    attach(inst) {
        var _a;
        let isRecursiveInst;
        let rechecked = false;
        // a recursive schema is re-entered many times per parse and its bucket never changes
        let lastCtx;
        let lastBucket;
        // Wraps `parse` in a deferred so it sees the container's final parse. Core's own deferred copies `parse` into `run` when there are no checks, and it ran first, so `run` is patched to match; with checks, `run` reads `parse` dynamically.
        (_a = inst._zod).deferred ?? (_a.deferred = []);
        inst._zod.deferred.push(() => {
            const base = inst._zod.parse;
            const wrapped = (payload, ctx) => {
                if (isRecursiveInst === undefined) {
                    const walked = isRecursive(inst, new Set(), false);
                    if (walked === NONE) {
                        // Nothing here can ever fire, so take it back out.
                        inst._zod.parse = base;
                        if (inst._zod.run === wrapped)
                            inst._zod.run = base;
                        return base(payload, ctx);
                    }
                    // this parse resolves the deferred edges on its own path, so ask once more before latching
                    if (walked === PROVEN || rechecked)
                        isRecursiveInst = true;
                    else
                        rechecked = true;
                }
                const input = payload.value;
                if (!isRef(input))
                    return base(payload, ctx);
                let state = ctx[STATE];
                if (!state) {
                    state = { buckets: new WeakMap(), backEdges: undefined };
                    ctx[STATE] = state;
                }
                let bucket;
                if (lastCtx === ctx) {
                    bucket = lastBucket;
                }
                else {
                    bucket = bucketFor(state, inst);
                    lastCtx = ctx;
                    lastBucket = bucket;
                }
                const hit = bucket.get(input);
                if (hit) {
                    payload.value = hit.value;
                    if (hit.issues) {
                        if (hit.issues.length)
                            payload.issues.push(...cloneIssues(hit.issues));
                    }
                    else {
                        // Still being parsed: its own checks cover it, so skip them here.
                        payload.memo = true;
                        state.backEdges ?? (state.backEdges = new WeakSet());
                        state.backEdges.add(hit.value);
                    }
                    return payload;
                }
                handoff = bucket;
                const depth = memoizer_open.length;
                const result = base(payload, ctx);
                handoff = undefined;
                // A container that rejected its input outright allocated nothing.
                const entry = memoizer_open.length > depth ? memoizer_open.pop() : undefined;
                // Both paths written out so the sync one allocates no closure. It runs once per node, and capturing here cost more than everything else combined.
                if (result instanceof Promise) {
                    return result.then((r) => {
                        if (entry)
                            entry.issues = r.issues.length ? cloneIssues(r.issues) : NO_ISSUES;
                        return r;
                    });
                }
                if (entry)
                    entry.issues = result.issues.length ? cloneIssues(result.issues) : NO_ISSUES;
                return result;
            };
            inst._zod.parse = wrapped;
            if (inst._zod.run === base)
                inst._zod.run = wrapped;
        });
    },
};
/** The memoizer that gives containers cycle support. `zod` installs it by default; `zod/mini` opts in with `config({ memoizer: memoizer() })`. */
function memoizer() {
    return memo;
}
/** Whether this value is a node a back-edge resolved to before it finished. */
function isBackEdge(ctx, value) {
    const backEdges = ctx[STATE]?.backEdges;
    return backEdges !== undefined && isRef(value) && backEdges.has(value);
}

;// CONCATENATED MODULE: ./node_modules/zod/v4/core/regexes.js

/**
 * @deprecated CUID v1 is deprecated by its authors due to information leakage
 * (timestamps embedded in the id). Use {@link cuid2} instead.
 * See https://github.com/paralleldrive/cuid.
 */
const cuid = /^[cC][0-9a-z]{6,}$/;
const cuid2 = /^[0-9a-z]+$/;
const ulid = /^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$/;
const xid = /^[0-9a-vA-V]{20}$/;
const ksuid = /^[A-Za-z0-9]{27}$/;
const nanoid = /^[a-zA-Z0-9_-]{21}$/;
function nanoidOfLength(length) {
    return new RegExp(`^[a-zA-Z0-9_-]{${length}}$`);
}
/** ISO 8601-1 duration regex. Does not support the 8601-2 extensions like negative durations or fractional/negative components. */
const duration = /^P(?:(\d+W)|(?!.*W)(?=\d|T\d)(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+([.,]\d+)?S)?)?)$/;
/** Implements ISO 8601-2 extensions like explicit +- prefixes, mixing weeks with other units, and fractional/negative components. */
const extendedDuration = /^[-+]?P(?!$)(?:(?:[-+]?\d+Y)|(?:[-+]?\d+[.,]\d+Y$))?(?:(?:[-+]?\d+M)|(?:[-+]?\d+[.,]\d+M$))?(?:(?:[-+]?\d+W)|(?:[-+]?\d+[.,]\d+W$))?(?:(?:[-+]?\d+D)|(?:[-+]?\d+[.,]\d+D$))?(?:T(?=[\d+-])(?:(?:[-+]?\d+H)|(?:[-+]?\d+[.,]\d+H$))?(?:(?:[-+]?\d+M)|(?:[-+]?\d+[.,]\d+M$))?(?:[-+]?\d+(?:[.,]\d+)?S)?)??$/;
/** A regex for any UUID-like identifier: 8-4-4-4-12 hex pattern */
const guid = /^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})$/;
/** Returns a regex for validating an RFC 9562/4122 UUID.
 *
 * @param version Optionally specify a version 1-8. If no version is specified, all versions are supported. */
const uuid = (version) => {
    if (!version)
        return /^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|00000000-0000-0000-0000-000000000000|ffffffff-ffff-ffff-ffff-ffffffffffff)$/;
    return new RegExp(`^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-${version}[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12})$`);
};
const uuid4 = /*@__PURE__*/ (/* unused pure expression or super */ null && (uuid(4)));
const uuid6 = /*@__PURE__*/ (/* unused pure expression or super */ null && (uuid(6)));
const uuid7 = /*@__PURE__*/ (/* unused pure expression or super */ null && (uuid(7)));
/** Practical email validation */
const email = /^(?:[A-Za-z0-9_'+\-]+\.)*[A-Za-z0-9_'+\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$/;
/** Equivalent to the HTML5 input[type=email] validation implemented by browsers. Source: https://developer.mozilla.org/en-US/docs/Web/HTML/Element/input/email */
const html5Email = /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;
/** The classic emailregex.com regex for RFC 5322-compliant emails */
const rfc5322Email = /^(([^<>()\[\]\\.,;:\s@"]+(\.[^<>()\[\]\\.,;:\s@"]+)*)|(".+"))@((\[[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}])|(([a-zA-Z\-0-9]+\.)+[a-zA-Z]{2,}))$/;
/** A loose regex that allows Unicode characters, enforces length limits, and that's about it. */
const unicodeEmail = /^[^\s@"]{1,64}@[^\s@]{1,255}$/u;
const idnEmail = (/* unused pure expression or super */ null && (unicodeEmail));
const browserEmail = /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;
// from https://thekevinscott.com/emojis-in-javascript/#writing-a-regular-expression
// Single character class, not an alternation: the two properties overlap (U+1F9B0-U+1F9B3), so `(A|B)+` backtracks exponentially on a failed match. The leading lookahead then demands one anchor — a pictograph, a regional indicator, or the enclosing keycap — because `\p{Emoji_Component}` on its own covers ASCII digits, `#`, `*`, ZWJ, variation selectors and skin tone modifiers, none of which is an emoji without a base.
const _emoji = `^(?=[\\s\\S]*[\\p{Extended_Pictographic}\\p{Regional_Indicator}\\u20E3])[\\p{Extended_Pictographic}\\p{Emoji_Component}]+$`;
function emoji() {
    return new RegExp(_emoji, "u");
}
const ipv4 = /^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])\.){3}(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])$/;
const ipv6 = /^(([0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}|([0-9a-fA-F]{1,4}:){1,7}:|([0-9a-fA-F]{1,4}:){1,6}:[0-9a-fA-F]{1,4}|([0-9a-fA-F]{1,4}:){1,5}(:[0-9a-fA-F]{1,4}){1,2}|([0-9a-fA-F]{1,4}:){1,4}(:[0-9a-fA-F]{1,4}){1,3}|([0-9a-fA-F]{1,4}:){1,3}(:[0-9a-fA-F]{1,4}){1,4}|([0-9a-fA-F]{1,4}:){1,2}(:[0-9a-fA-F]{1,4}){1,5}|[0-9a-fA-F]{1,4}:((:[0-9a-fA-F]{1,4}){1,6})|:((:[0-9a-fA-F]{1,4}){1,7}|:))$/;
const mac = (delimiter) => {
    const escapedDelim = util.escapeRegex(delimiter ?? ":");
    return new RegExp(`^(?:[0-9A-F]{2}${escapedDelim}){5}[0-9A-F]{2}$|^(?:[0-9a-f]{2}${escapedDelim}){5}[0-9a-f]{2}$`);
};
const cidrv4 = /^((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])\.){3}(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])\/([0-9]|[1-2][0-9]|3[0-2])$/;
const cidrv6 = /^(([0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}|([0-9a-fA-F]{1,4}:){1,7}:|([0-9a-fA-F]{1,4}:){1,6}:[0-9a-fA-F]{1,4}|([0-9a-fA-F]{1,4}:){1,5}(:[0-9a-fA-F]{1,4}){1,2}|([0-9a-fA-F]{1,4}:){1,4}(:[0-9a-fA-F]{1,4}){1,3}|([0-9a-fA-F]{1,4}:){1,3}(:[0-9a-fA-F]{1,4}){1,4}|([0-9a-fA-F]{1,4}:){1,2}(:[0-9a-fA-F]{1,4}){1,5}|[0-9a-fA-F]{1,4}:((:[0-9a-fA-F]{1,4}){1,6})|:((:[0-9a-fA-F]{1,4}){1,7}|:))\/(12[0-8]|1[01][0-9]|[1-9]?[0-9])$/;
// https://stackoverflow.com/questions/7860392/determine-if-string-is-in-base64-using-javascript
const base64 = /^$|^(?:[0-9a-zA-Z+/]{4})*(?:(?:[0-9a-zA-Z+/]{2}==)|(?:[0-9a-zA-Z+/]{3}=))?$/;
const base64url = /^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2,3})?$/;
// based on https://stackoverflow.com/questions/106179/regular-expression-to-match-dns-hostname-or-ip-address
// export const hostname: RegExp = /^([a-zA-Z0-9-]+\.)*[a-zA-Z0-9-]+$/;
const hostname = /^(?=.{1,253}\.?$)[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[-0-9a-zA-Z]{0,61}[0-9a-zA-Z])?)*\.?$/;
const domain = /^(?=.{1,253}$)([a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)+[a-zA-Z]{2,63}$/;
const httpProtocol = /^https?$/;
// https://blog.stevenlevithan.com/archives/validate-phone-number#r4-3 (regex sans spaces) E.164: leading digit must be 1-9; total digits (excluding '+') between 7-15
const e164 = /^\+[1-9]\d{6,14}$/;
// Credit card shape: 12–19 digits, optionally separated by single spaces or single hyphens. ISO/IEC 7812 caps the PAN at 19 digits; 12 is the shortest issued length (Maestro).
const creditCard = /^\d(?:[ -]?\d){11,18}$/;
// ISO 4217 alpha codes from the SIX list, regenerated by scripts/update-iso-4217.ts
const currencyCode = /^(?:AED|AFN|ALL|AMD|AOA|ARS|AUD|AWG|AZN|BAM|BBD|BDT|BHD|BIF|BMD|BND|BOB|BOV|BRL|BSD|BTN|BWP|BYN|BZD|CAD|CDF|CHE|CHF|CHW|CLF|CLP|CNY|COP|COU|CRC|CUP|CVE|CZK|DJF|DKK|DOP|DZD|EGP|ERN|ETB|EUR|FJD|FKP|GBP|GEL|GHS|GIP|GMD|GNF|GTQ|GYD|HKD|HNL|HTG|HUF|IDR|ILS|INR|IQD|IRR|ISK|JMD|JOD|JPY|KES|KGS|KHR|KMF|KPW|KRW|KWD|KYD|KZT|LAK|LBP|LKR|LRD|LSL|LYD|MAD|MDL|MGA|MKD|MMK|MNT|MOP|MRU|MUR|MVR|MWK|MXN|MXV|MYR|MZN|NAD|NGN|NIO|NOK|NPR|NZD|OMR|PAB|PEN|PGK|PHP|PKR|PLN|PYG|QAR|RON|RSD|RUB|RWF|SAR|SBD|SCR|SDG|SEK|SGD|SHP|SLE|SOS|SRD|SSP|STN|SVC|SYP|SZL|THB|TJS|TMT|TND|TOP|TRY|TTD|TWD|TZS|UAH|UGX|USD|USN|UYI|UYU|UYW|UZS|VED|VES|VND|VUV|WST|XAD|XAF|XAG|XAU|XBA|XBB|XBC|XBD|XCD|XCG|XDR|XOF|XPD|XPF|XPT|XSU|XTS|XUA|XXX|YER|ZAR|ZMW|ZWG)$/;
// iban electronic format: 2-letter country, check digits 02-98 (the only values `98 - remainder` can produce), 11-30 bban characters
const iban = /^[A-Z]{2}(?!00|01|99)\d{2}[A-Z0-9]{11,30}$/;
const dateSource = `(?:(?:\\d\\d[2468][048]|\\d\\d[13579][26]|\\d\\d0[48]|[02468][048]00|[13579][26]00)-02-29|\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|(?:02)-(?:0[1-9]|1\\d|2[0-8])))`;
/** Anchors a pattern source. The interpolation lives here rather than at the call site because
 * esbuild will not drop a `@__PURE__` call whose own argument interpolates a variable, but it
 * will drop `anchor(dateSource)`. Keeping it inline pinned `date` into every bundle. */
function regexes_anchor(source) {
    return new RegExp(`^${source}$`);
}
const date = /*@__PURE__*/ regexes_anchor(dateSource);
function timeSource(args) {
    const hhmm = `(?:[01]\\d|2[0-3]):[0-5]\\d`;
    const regex = typeof args.precision === "number"
        ? args.precision === -1
            ? `${hhmm}`
            : args.precision === 0
                ? `${hhmm}:[0-5]\\d`
                : `${hhmm}:[0-5]\\d\\.\\d{${args.precision}}`
        : args.seconds
            ? `${hhmm}:[0-5]\\d(?:\\.\\d+)?`
            : `${hhmm}(?::[0-5]\\d(?:\\.\\d+)?)?`;
    return regex;
}
function time(args) {
    return new RegExp(`^${timeSource(args)}$`);
}
// Adapted from https://stackoverflow.com/a/3143231
function datetime(args) {
    const opts = ["Z"];
    // if (args.offset) opts.push(`([+-]\\d{2}:\\d{2})`);
    if (args.offset)
        opts.push(`([+-](?:[01]\\d|2[0-3]):[0-5]\\d)`);
    // RFC 3339 mandates seconds wherever the time carries a `Z` or an offset, so only the unqualified form `local` adds may omit them
    const qualified = `${timeSource({ precision: args.precision, seconds: true })}(?:${opts.join("|")})`;
    const timeRegex = args.local ? `${qualified}|${timeSource({ precision: args.precision })}` : qualified;
    return new RegExp(`^${dateSource}T(?:${timeRegex})$`);
}
// the unbounded form of `string()` as a literal, so every plain string shares one instance instead of building its own
const anyString = /^[\s\S]{0,}$/;
const string = (params) => {
    const regex = params ? `[\\s\\S]{${params?.minimum ?? 0},${params?.maximum ?? ""}}` : `[\\s\\S]*`;
    return new RegExp(`^${regex}$`);
};
const bigint = /^-?\d+n?$/;
const integer = /^-?\d+$/;
const number = /^-?\d+(?:\.\d+)?$/;
const regexes_boolean = /^(?:true|false)$/i;
const _null = /^null$/i;

const _undefined = /^undefined$/i;

// regex for string with no uppercase letters
const lowercase = /^[^A-Z]*$/;
// regex for string with no lowercase letters
const uppercase = /^[^a-z]*$/;
// regex for hexadecimal strings (any length)
const hex = /^[0-9a-fA-F]*$/;
// Hash regexes for different algorithms and encodings
// Helper function to create base64 regex with exact length and padding
function fixedBase64(bodyLength, padding) {
    return new RegExp(`^[A-Za-z0-9+/]{${bodyLength}}${padding}$`);
}
// Helper function to create base64url regex with exact length (no padding)
function fixedBase64url(length) {
    return new RegExp(`^[A-Za-z0-9_-]{${length}}$`);
}
// MD5 (16 bytes): base64 = 24 chars total (22 + "==")
const md5_hex = /^[0-9a-fA-F]{32}$/;
const md5_base64 = /*@__PURE__*/ (/* unused pure expression or super */ null && (fixedBase64(22, "==")));
const md5_base64url = /*@__PURE__*/ (/* unused pure expression or super */ null && (fixedBase64url(22)));
// SHA1 (20 bytes): base64 = 28 chars total (27 + "=")
const sha1_hex = /^[0-9a-fA-F]{40}$/;
const sha1_base64 = /*@__PURE__*/ (/* unused pure expression or super */ null && (fixedBase64(27, "=")));
const sha1_base64url = /*@__PURE__*/ (/* unused pure expression or super */ null && (fixedBase64url(27)));
// SHA256 (32 bytes): base64 = 44 chars total (43 + "=")
const sha256_hex = /^[0-9a-fA-F]{64}$/;
const sha256_base64 = /*@__PURE__*/ (/* unused pure expression or super */ null && (fixedBase64(43, "=")));
const sha256_base64url = /*@__PURE__*/ (/* unused pure expression or super */ null && (fixedBase64url(43)));
// SHA384 (48 bytes): base64 = 64 chars total (no padding)
const sha384_hex = /^[0-9a-fA-F]{96}$/;
const sha384_base64 = /*@__PURE__*/ (/* unused pure expression or super */ null && (fixedBase64(64, "")));
const sha384_base64url = /*@__PURE__*/ (/* unused pure expression or super */ null && (fixedBase64url(64)));
// SHA512 (64 bytes): base64 = 88 chars total (86 + "==")
const sha512_hex = /^[0-9a-fA-F]{128}$/;
const sha512_base64 = /*@__PURE__*/ (/* unused pure expression or super */ null && (fixedBase64(86, "==")));
const sha512_base64url = /*@__PURE__*/ (/* unused pure expression or super */ null && (fixedBase64url(86)));

;// CONCATENATED MODULE: ./node_modules/zod/v4/core/checks.js
// import { $ZodType } from "./schemas.js";



const $ZodCheck = /*@__PURE__*/ $constructor("$ZodCheck", (inst, def) => {
    var _a;
    inst._zod ?? (inst._zod = {});
    inst._zod.def = def;
    (_a = inst._zod).onattach ?? (_a.onattach = []);
});
/** Default `when` for size-based checks: run only on non-nullish values with a `size`. */
const _whenHasSize = (payload) => {
    const val = payload.value;
    return !util.nullish(val) && val.size !== undefined;
};
/** Default `when` for length-based checks: run only on non-nullish values with a `length`. */
const _whenHasLength = (payload) => {
    const val = payload.value;
    return !nullish(val) && val.length !== undefined;
};
const numericOriginMap = {
    number: "number",
    bigint: "bigint",
    object: "date",
};
const $ZodCheckLessThan = /*@__PURE__*/ $constructor("$ZodCheckLessThan", (inst, def) => {
    $ZodCheck.init(inst, def);
    const origin = numericOriginMap[typeof def.value];
    inst._zod.check = (payload) => {
        if (def.inclusive ? payload.value <= def.value : payload.value < def.value) {
            return;
        }
        payload.issues.push({
            origin: numericOriginMap[typeof payload.value] ?? origin,
            code: "too_big",
            maximum: typeof def.value === "object" ? def.value.getTime() : def.value,
            input: payload.value,
            inclusive: def.inclusive,
            inst,
            continue: !def.abort,
        });
    };
});
const $ZodCheckGreaterThan = /*@__PURE__*/ $constructor("$ZodCheckGreaterThan", (inst, def) => {
    $ZodCheck.init(inst, def);
    const origin = numericOriginMap[typeof def.value];
    inst._zod.check = (payload) => {
        if (def.inclusive ? payload.value >= def.value : payload.value > def.value) {
            return;
        }
        payload.issues.push({
            origin: numericOriginMap[typeof payload.value] ?? origin,
            code: "too_small",
            minimum: typeof def.value === "object" ? def.value.getTime() : def.value,
            input: payload.value,
            inclusive: def.inclusive,
            inst,
            continue: !def.abort,
        });
    };
});
const $ZodCheckMultipleOf = 
/*@__PURE__*/ $constructor("$ZodCheckMultipleOf", (inst, def) => {
    $ZodCheck.init(inst, def);
    inst._zod.check = (payload) => {
        if (typeof payload.value !== typeof def.value)
            throw new Error("Cannot mix number and bigint in multiple_of check.");
        const isMultiple = typeof payload.value === "bigint"
            ? // `value % 0n` throws, and nothing is a multiple of zero — the number branch already fails this way via NaN
                def.value !== BigInt(0) && payload.value % def.value === BigInt(0)
            : floatSafeRemainder(payload.value, def.value) === 0;
        if (isMultiple)
            return;
        payload.issues.push({
            origin: typeof payload.value,
            code: "not_multiple_of",
            divisor: def.value,
            input: payload.value,
            inst,
            continue: !def.abort,
        });
    };
});
const $ZodCheckNumberFormat = /*@__PURE__*/ $constructor("$ZodCheckNumberFormat", (inst, def) => {
    $ZodCheck.init(inst, def); // no format checks
    def.format = def.format || "float64";
    const isInt = def.format?.includes("int");
    const origin = isInt ? "int" : "number";
    const [minimum, maximum] = NUMBER_FORMAT_RANGES[def.format];
    inst._zod.check = (payload) => {
        const input = payload.value;
        if (isInt) {
            if (!Number.isInteger(input)) {
                // invalid_format issue
                // payload.issues.push({
                //   expected: def.format,
                //   format: def.format,
                //   code: "invalid_format",
                //   input,
                //   inst,
                // });
                // invalid_type issue
                payload.issues.push({
                    expected: origin,
                    format: def.format,
                    code: "invalid_type",
                    continue: false,
                    input,
                    inst,
                });
                return;
                // not_multiple_of issue
                // payload.issues.push({
                //   code: "not_multiple_of",
                //   origin: "number",
                //   input,
                //   inst,
                //   divisor: 1,
                // });
            }
            if (!Number.isSafeInteger(input)) {
                if (input > 0) {
                    // too_big
                    payload.issues.push({
                        input,
                        code: "too_big",
                        maximum: Number.MAX_SAFE_INTEGER,
                        note: "Integers must be within the safe integer range.",
                        inst,
                        origin,
                        inclusive: true,
                        continue: !def.abort,
                    });
                }
                else {
                    // too_small
                    payload.issues.push({
                        input,
                        code: "too_small",
                        minimum: Number.MIN_SAFE_INTEGER,
                        note: "Integers must be within the safe integer range.",
                        inst,
                        origin,
                        inclusive: true,
                        continue: !def.abort,
                    });
                }
                return;
            }
        }
        if (input < minimum) {
            payload.issues.push({
                origin: "number",
                input,
                code: "too_small",
                minimum,
                inclusive: true,
                inst,
                continue: !def.abort,
            });
        }
        if (input > maximum) {
            payload.issues.push({
                origin: "number",
                input,
                code: "too_big",
                maximum,
                inclusive: true,
                inst,
                continue: !def.abort,
            });
        }
    };
});
const $ZodCheckBigIntFormat = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("$ZodCheckBigIntFormat", (inst, def) => {
    $ZodCheck.init(inst, def); // no format checks
    const [minimum, maximum] = util.BIGINT_FORMAT_RANGES[def.format];
    inst._zod.check = (payload) => {
        const input = payload.value;
        if (input < minimum) {
            payload.issues.push({
                origin: "bigint",
                input,
                code: "too_small",
                minimum: minimum,
                inclusive: true,
                inst,
                continue: !def.abort,
            });
        }
        if (input > maximum) {
            payload.issues.push({
                origin: "bigint",
                input,
                code: "too_big",
                maximum,
                inclusive: true,
                inst,
                continue: !def.abort,
            });
        }
    };
})));
const $ZodCheckMaxSize = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("$ZodCheckMaxSize", (inst, def) => {
    var _a;
    $ZodCheck.init(inst, def);
    (_a = inst._zod.def).when ?? (_a.when = _whenHasSize);
    inst._zod.check = (payload) => {
        const input = payload.value;
        const size = input.size;
        if (size <= def.maximum)
            return;
        payload.issues.push({
            origin: util.getSizableOrigin(input),
            code: "too_big",
            maximum: def.maximum,
            inclusive: true,
            input,
            inst,
            continue: !def.abort,
        });
    };
})));
const $ZodCheckMinSize = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("$ZodCheckMinSize", (inst, def) => {
    var _a;
    $ZodCheck.init(inst, def);
    (_a = inst._zod.def).when ?? (_a.when = _whenHasSize);
    inst._zod.check = (payload) => {
        const input = payload.value;
        const size = input.size;
        if (size >= def.minimum)
            return;
        payload.issues.push({
            origin: util.getSizableOrigin(input),
            code: "too_small",
            minimum: def.minimum,
            inclusive: true,
            input,
            inst,
            continue: !def.abort,
        });
    };
})));
const $ZodCheckSizeEquals = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("$ZodCheckSizeEquals", (inst, def) => {
    var _a;
    $ZodCheck.init(inst, def);
    (_a = inst._zod.def).when ?? (_a.when = _whenHasSize);
    inst._zod.check = (payload) => {
        const input = payload.value;
        const size = input.size;
        if (size === def.size)
            return;
        const tooBig = size > def.size;
        payload.issues.push({
            origin: util.getSizableOrigin(input),
            ...(tooBig ? { code: "too_big", maximum: def.size } : { code: "too_small", minimum: def.size }),
            inclusive: true,
            exact: true,
            input: payload.value,
            inst,
            continue: !def.abort,
        });
    };
})));
const $ZodCheckMaxLength = /*@__PURE__*/ $constructor("$ZodCheckMaxLength", (inst, def) => {
    var _a;
    $ZodCheck.init(inst, def);
    (_a = inst._zod.def).when ?? (_a.when = _whenHasLength);
    inst._zod.check = (payload) => {
        const input = payload.value;
        const units = input.length;
        // Strings are measured in Unicode code points, not UTF-16 units. A code point is at most two units, so a string that already fits in units fits in code points; only an overflow has to be counted.
        const length = typeof input === "string" && units > def.maximum ? codePointLength(input) : units;
        if (length <= def.maximum)
            return;
        const origin = getLengthableOrigin(input);
        payload.issues.push({
            origin,
            code: "too_big",
            maximum: def.maximum,
            inclusive: true,
            input,
            inst,
            continue: !def.abort,
        });
    };
});
const $ZodCheckMinLength = /*@__PURE__*/ $constructor("$ZodCheckMinLength", (inst, def) => {
    var _a;
    $ZodCheck.init(inst, def);
    (_a = inst._zod.def).when ?? (_a.when = _whenHasLength);
    inst._zod.check = (payload) => {
        const input = payload.value;
        const units = input.length;
        // A code point is one or two UTF-16 units, so fewer units than the floor can never reach it and twice the floor always clears it. Only in between is the exact count in doubt.
        const length = typeof input === "string" && units >= def.minimum && units < def.minimum * 2
            ? codePointLength(input)
            : units;
        if (length >= def.minimum)
            return;
        const origin = getLengthableOrigin(input);
        payload.issues.push({
            origin,
            code: "too_small",
            minimum: def.minimum,
            inclusive: true,
            input,
            inst,
            continue: !def.abort,
        });
    };
});
const $ZodCheckLengthEquals = /*@__PURE__*/ $constructor("$ZodCheckLengthEquals", (inst, def) => {
    var _a;
    $ZodCheck.init(inst, def);
    (_a = inst._zod.def).when ?? (_a.when = _whenHasLength);
    inst._zod.check = (payload) => {
        const input = payload.value;
        const units = input.length;
        // A code point is one or two UTF-16 units, so outside `[length, length * 2]` units the target is missed either way — and missed in the same direction in both measures.
        const length = typeof input === "string" && units >= def.length && units <= def.length * 2
            ? codePointLength(input)
            : units;
        if (length === def.length)
            return;
        const origin = getLengthableOrigin(input);
        const tooBig = length > def.length;
        payload.issues.push({
            origin,
            ...(tooBig ? { code: "too_big", maximum: def.length } : { code: "too_small", minimum: def.length }),
            inclusive: true,
            exact: true,
            input: payload.value,
            inst,
            continue: !def.abort,
        });
    };
});
const $ZodCheckStringFormat = /*@__PURE__*/ $constructor("$ZodCheckStringFormat", (inst, def) => {
    var _a, _b;
    $ZodCheck.init(inst, def);
    if (def.pattern)
        (_a = inst._zod).check ?? (_a.check = (payload) => {
            def.pattern.lastIndex = 0;
            if (def.pattern.test(payload.value))
                return;
            payload.issues.push({
                origin: "string",
                code: "invalid_format",
                format: def.format,
                input: payload.value,
                ...(def.pattern ? { pattern: def.pattern.toString() } : {}),
                inst,
                continue: !def.abort,
            });
        });
    else
        (_b = inst._zod).check ?? (_b.check = () => { });
});
const $ZodCheckRegex = /*@__PURE__*/ $constructor("$ZodCheckRegex", (inst, def) => {
    $ZodCheckStringFormat.init(inst, def);
    inst._zod.check = (payload) => {
        def.pattern.lastIndex = 0;
        if (def.pattern.test(payload.value))
            return;
        payload.issues.push({
            origin: "string",
            code: "invalid_format",
            format: "regex",
            input: payload.value,
            pattern: def.pattern.toString(),
            inst,
            continue: !def.abort,
        });
    };
});
const $ZodCheckLowerCase = /*@__PURE__*/ $constructor("$ZodCheckLowerCase", (inst, def) => {
    def.pattern ?? (def.pattern = lowercase);
    $ZodCheckStringFormat.init(inst, def);
});
const $ZodCheckUpperCase = /*@__PURE__*/ $constructor("$ZodCheckUpperCase", (inst, def) => {
    def.pattern ?? (def.pattern = uppercase);
    $ZodCheckStringFormat.init(inst, def);
});
const $ZodCheckIncludes = /*@__PURE__*/ $constructor("$ZodCheckIncludes", (inst, def) => {
    $ZodCheck.init(inst, def);
    const escapedRegex = escapeRegex(def.includes);
    // `String.prototype.includes(sub, position)` matches `sub` at `position`
    // OR LATER, so the pattern must allow at least `position` leading chars
    // (`{N,}`), not exactly `position` chars (`{N}`).
    const pattern = new RegExp(typeof def.position === "number" ? `^.{${def.position},}${escapedRegex}` : escapedRegex);
    def.pattern = pattern;
    inst._zod.check = (payload) => {
        if (payload.value.includes(def.includes, def.position))
            return;
        payload.issues.push({
            origin: "string",
            code: "invalid_format",
            format: "includes",
            includes: def.includes,
            input: payload.value,
            inst,
            continue: !def.abort,
        });
    };
});
const $ZodCheckStartsWith = /*@__PURE__*/ $constructor("$ZodCheckStartsWith", (inst, def) => {
    $ZodCheck.init(inst, def);
    const pattern = new RegExp(`^${escapeRegex(def.prefix)}.*`);
    def.pattern ?? (def.pattern = pattern);
    inst._zod.check = (payload) => {
        if (payload.value.startsWith(def.prefix))
            return;
        payload.issues.push({
            origin: "string",
            code: "invalid_format",
            format: "starts_with",
            prefix: def.prefix,
            input: payload.value,
            inst,
            continue: !def.abort,
        });
    };
});
const $ZodCheckEndsWith = /*@__PURE__*/ $constructor("$ZodCheckEndsWith", (inst, def) => {
    $ZodCheck.init(inst, def);
    const pattern = new RegExp(`.*${escapeRegex(def.suffix)}$`);
    def.pattern ?? (def.pattern = pattern);
    inst._zod.check = (payload) => {
        if (payload.value.endsWith(def.suffix))
            return;
        payload.issues.push({
            origin: "string",
            code: "invalid_format",
            format: "ends_with",
            suffix: def.suffix,
            input: payload.value,
            inst,
            continue: !def.abort,
        });
    };
});
///////////////////////////////////
/////    $ZodCheckProperty    /////
///////////////////////////////////
function handleCheckPropertyResult(result, payload, property) {
    if (result.issues.length) {
        payload.issues.push(...prefixIssues(property, result.issues));
    }
}
const $ZodCheckProperty = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("$ZodCheckProperty", (inst, def) => {
    $ZodCheck.init(inst, def);
    inst._zod.check = (payload) => {
        const result = def.schema._zod.run({
            value: payload.value[def.property],
            issues: [],
        }, {});
        if (result instanceof Promise) {
            return result.then((result) => handleCheckPropertyResult(result, payload, def.property));
        }
        handleCheckPropertyResult(result, payload, def.property);
        return;
    };
})));
const $ZodCheckProperties = /*@__PURE__*/ $constructor("$ZodCheckProperties", (inst, def) => {
    $ZodCheck.init(inst, def);
    hide(inst, Symbol.iterator, function* () {
        yield inst;
    });
    // key and schema snapshotted together: reading one live and the other cached lets a later mutation of the caller's shape object pair a stale key with a missing schema
    let entries;
    inst._zod.check = (payload) => {
        // the base schema already typed the value, so only a nullish one is rejected here: the properties read on a primitive too, matching z.property() on a string's length
        if (payload.value == null) {
            payload.issues.push({ expected: "object", code: "invalid_type", input: payload.value, inst });
            return undefined;
        }
        entries ?? (entries = Reflect.ownKeys(def.shape).map((key) => [key, def.shape[key]]));
        const input = payload.value;
        let proms;
        for (const [key, schema] of entries) {
            const result = schema._zod.run({ value: input[key], issues: [] }, {});
            if (result instanceof Promise) {
                proms ?? (proms = []);
                proms.push(result.then((result) => handleCheckPropertyResult(result, payload, key)));
            }
            else {
                handleCheckPropertyResult(result, payload, key);
            }
        }
        if (proms)
            return Promise.all(proms).then(() => undefined);
        return undefined;
    };
});
const $ZodCheckMimeType = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("$ZodCheckMimeType", (inst, def) => {
    $ZodCheck.init(inst, def);
    const mimeSet = new Set(def.mime);
    inst._zod.check = (payload) => {
        if (mimeSet.has(payload.value.type))
            return;
        payload.issues.push({
            code: "invalid_value",
            values: def.mime,
            input: payload.value.type,
            inst,
            continue: !def.abort,
        });
    };
})));
const $ZodCheckOverwrite = /*@__PURE__*/ $constructor("$ZodCheckOverwrite", (inst, def) => {
    $ZodCheck.init(inst, def);
    inst._zod.check = (payload) => {
        payload.value = def.tx(payload.value);
    };
});

;// CONCATENATED MODULE: ./node_modules/zod/v4/core/doc.js
class Doc {
    constructor(args = [], closed = {}) {
        this.content = [];
        this.indent = 0;
        this.args = args;
        this.closed = closed;
    }
    // the compiler catches a child's throw and keeps writing into this doc, so the indent has to unwind with it
    indented(fn) {
        this.indent += 1;
        try {
            fn(this);
        }
        finally {
            this.indent -= 1;
        }
    }
    write(arg) {
        if (typeof arg === "function") {
            arg(this, { execution: "sync" });
            arg(this, { execution: "async" });
            return;
        }
        const content = arg;
        const lines = content.split("\n").filter((x) => x);
        const minIndent = Math.min(...lines.map((x) => x.length - x.trimStart().length));
        const dedented = lines.map((x) => x.slice(minIndent)).map((x) => " ".repeat(this.indent * 2) + x);
        for (const line of dedented) {
            this.content.push(line);
        }
    }
    compile() {
        const F = Function;
        const content = this?.content ?? [``];
        const factory = new F(...Object.keys(this.closed), `return function (${this.args.join(", ")}) {\n${content.join("\n")}\n};`);
        return factory(...Object.values(this.closed));
    }
}

;// CONCATENATED MODULE: ./node_modules/zod/v4/core/versions.js
const version = {
    major: 4,
    minor: 6,
    patch: 7,
};

;// CONCATENATED MODULE: ./node_modules/zod/v4/core/schemas.js







const $ZodType = /*@__PURE__*/ $constructor("$ZodType", (inst, def) => {
    var _a;
    inst ?? (inst = {});
    inst._zod.def = def; // set _def property
    inst._zod.bag = inst._zod.bag || {}; // initialize _bag object
    inst._zod.version = version;
    const defChecks = inst._zod.def.checks;
    // if inst is itself a checks.$ZodCheck, run it as a check
    const checks = inst._zod.traits.has("$ZodCheck")
        ? [inst, ...(defChecks ?? [])]
        : defChecks?.length
            ? [...defChecks]
            : [];
    for (const ch of checks) {
        for (const fn of ch._zod.onattach) {
            fn(inst);
        }
    }
    if (checks.length === 0) {
        // deferred initializer inst._zod.parse is not yet defined
        (_a = inst._zod).deferred ?? (_a.deferred = []);
        inst._zod.deferred?.push(() => {
            inst._zod.run = inst._zod.parse;
        });
    }
    else {
        const runChecks = (payload, checks, ctx) => {
            if (payload.memo)
                return payload;
            let isAborted = aborted(payload);
            let asyncResult;
            for (const ch of checks) {
                if (ch._zod.def.when) {
                    if (explicitlyAborted(payload))
                        continue;
                    const shouldRun = ch._zod.def.when(payload);
                    if (!shouldRun)
                        continue;
                }
                else if (isAborted) {
                    continue;
                }
                const currLen = payload.issues.length;
                const _ = ch._zod.check(payload);
                if (_ instanceof Promise && ctx?.async === false) {
                    throw new $ZodAsyncError();
                }
                if (asyncResult || _ instanceof Promise) {
                    asyncResult = (asyncResult ?? Promise.resolve()).then(async () => {
                        await _;
                        const nextLen = payload.issues.length;
                        if (nextLen === currLen)
                            return;
                        attachSchema(payload.issues, currLen, inst);
                        if (!isAborted)
                            isAborted = aborted(payload, currLen);
                    });
                }
                else {
                    const nextLen = payload.issues.length;
                    if (nextLen === currLen)
                        continue;
                    attachSchema(payload.issues, currLen, inst);
                    if (!isAborted)
                        isAborted = aborted(payload, currLen);
                }
            }
            if (asyncResult) {
                return asyncResult.then(() => {
                    return payload;
                });
            }
            return payload;
        };
        const handleCanaryResult = (canary, payload, ctx) => {
            // abort if the canary is aborted
            if (aborted(canary)) {
                canary.aborted = true;
                return canary;
            }
            // run checks first, then
            const checkResult = runChecks(payload, checks, ctx);
            if (checkResult instanceof Promise) {
                if (ctx.async === false)
                    throw new $ZodAsyncError();
                return checkResult.then((checkResult) => inst._zod.parse(checkResult, ctx));
            }
            return inst._zod.parse(checkResult, ctx);
        };
        inst._zod.run = (payload, ctx) => {
            if (ctx.skipChecks) {
                return inst._zod.parse(payload, ctx);
            }
            if (ctx.direction === "backward") {
                // run canary initial pass (no checks)
                const canary = inst._zod.parse({ value: payload.value, issues: [] }, { ...ctx, skipChecks: true });
                if (canary instanceof Promise) {
                    return canary.then((canary) => {
                        return handleCanaryResult(canary, payload, ctx);
                    });
                }
                return handleCanaryResult(canary, payload, ctx);
            }
            // forward
            const result = inst._zod.parse(payload, ctx);
            if (result instanceof Promise) {
                if (ctx.async === false)
                    throw new $ZodAsyncError();
                return result.then((result) => runChecks(result, checks, ctx));
            }
            return runChecks(result, checks, ctx);
        };
    }
}, {
    // Wrappers extend this by installing a richer factory over it; reading it eagerly would defeat the laziness.
    get "~standard"() {
        return hide(this, "~standard", standardProps(this));
    },
    set "~standard"(value) {
        own(this, "~standard", value);
    },
});
/** The Standard Schema surface for `inst`. Shared so wrappers can extend it without forcing it. */
// a Standard Schema result only reports issues, so a failure finalizes them straight off the raw payload: no ZodError, and no lazy result to read through
const toStandardResult = (r, ctx) => r.issues.length ? { issues: r.issues.map((iss) => finalizeIssue(iss, ctx, config())) } : { value: r.value };
async function validateAsync(inst, value) {
    const ctx = { async: true };
    return toStandardResult((await inst._zod.run({ value, issues: [] }, ctx)), ctx);
}
function standardProps(inst) {
    return {
        validate: (value) => {
            const ctx = { async: false };
            try {
                const r = inst._zod.run({ value, issues: [] }, ctx);
                if (!(r instanceof Promise))
                    return toStandardResult(r, ctx);
            }
            catch (_) { }
            // async function so a synchronously throwing check rejects instead of escaping validate
            return validateAsync(inst, value);
        },
        vendor: "zod",
        version: 1,
    };
}

const $ZodString = /*@__PURE__*/ $constructor("$ZodString", (inst, def) => {
    $ZodType.init(inst, def);
    // a format's own pattern, else unbounded; a template literal derives the check-aware form itself
    inst._zod.pattern = def.pattern ?? anyString;
    inst._zod.parse = (payload, _) => {
        if (def.coerce)
            try {
                payload.value = String(payload.value);
            }
            catch (_) { }
        if (typeof payload.value === "string")
            return payload;
        payload.issues.push({
            expected: "string",
            code: "invalid_type",
            input: payload.value,
            inst,
        });
        return payload;
    };
});
const $ZodStringFormat = /*@__PURE__*/ $constructor("$ZodStringFormat", (inst, def) => {
    // check initialization must come first
    $ZodCheckStringFormat.init(inst, def);
    $ZodString.init(inst, def);
});
const $ZodGUID = /*@__PURE__*/ $constructor("$ZodGUID", (inst, def) => {
    def.pattern ?? (def.pattern = guid);
    $ZodStringFormat.init(inst, def);
});
const $ZodUUID = /*@__PURE__*/ $constructor("$ZodUUID", (inst, def) => {
    if (def.version) {
        const versionMap = {
            v1: 1,
            v2: 2,
            v3: 3,
            v4: 4,
            v5: 5,
            v6: 6,
            v7: 7,
            v8: 8,
        };
        const v = versionMap[def.version];
        if (v === undefined)
            throw new Error(`Invalid UUID version: "${def.version}"`);
        def.pattern ?? (def.pattern = uuid(v));
    }
    else
        def.pattern ?? (def.pattern = uuid());
    $ZodStringFormat.init(inst, def);
});
const $ZodEmail = /*@__PURE__*/ $constructor("$ZodEmail", (inst, def) => {
    def.pattern ?? (def.pattern = email);
    $ZodStringFormat.init(inst, def);
});
/** The `://` guard rejected the input before the URL constructor saw it. */
const URL_BAD_FORMAT = 1;
/** The URL parser rejected the input. */
const URL_UNPARSEABLE = 2;
function canParseURL(input) {
    try {
        if (typeof URL !== "undefined" && typeof URL.canParse === "function")
            return URL.canParse(input);
        new URL(input);
        return true;
    }
    catch {
        return false;
    }
}
function validateURL(trimmed, def) {
    if (!("normalize" in def) && !("hostname" in def) && !("protocol" in def)) {
        return canParseURL(trimmed) || URL_UNPARSEABLE;
    }
    return parseURLObject(trimmed, def);
}
/** Parses a URL while preserving the non-normalizing HTTP guard. */
function parseURLObject(trimmed, def) {
    // When normalize is off, require :// for http/https URLs. This prevents strings like "http:example.com" or "https:/path" from being silently accepted
    if (!def.normalize && def.protocol?.source === httpProtocol.source && !/^https?:\/\//i.test(trimmed)) {
        return URL_BAD_FORMAT;
    }
    try {
        if (typeof URL !== "undefined") {
            const URLStatic = URL;
            if (typeof URLStatic.parse === "function")
                return URLStatic.parse(trimmed) ?? URL_UNPARSEABLE;
        }
        // @ts-ignore
        return new URL(trimmed);
    }
    catch {
        return URL_UNPARSEABLE;
    }
}
const asciiTabOrNewline = /[\t\n\r]/g;
/** The URL parser deletes every ASCII tab, LF and CR from its input before it parses, so `new URL("https://exa\nmple.com")` reports on `example.com`. Applying the same deletion to the returned value closes the half of that divergence which can move the host; the parser's other rewrite, stripping C0 controls at the edges, cannot. */
function stripTabAndNewline(value) {
    return value.replace(asciiTabOrNewline, "");
}
function urlHostnameOk(url, hostname) {
    hostname.lastIndex = 0;
    return hostname.test(url.hostname);
}
function urlProtocolOk(url, protocol) {
    protocol.lastIndex = 0;
    return protocol.test(url.protocol.endsWith(":") ? url.protocol.slice(0, -1) : url.protocol);
}
const $ZodURL = /*@__PURE__*/ $constructor("$ZodURL", (inst, def) => {
    $ZodStringFormat.init(inst, def);
    inst._zod.check = (payload) => {
        try {
            // Trim whitespace from input
            const trimmed = payload.value.trim();
            const url = validateURL(trimmed, def);
            if (url === URL_BAD_FORMAT) {
                payload.issues.push({
                    code: "invalid_format",
                    format: "url",
                    note: "Invalid URL format",
                    input: payload.value,
                    inst,
                    continue: !def.abort,
                });
                return;
            }
            if (url === URL_UNPARSEABLE) {
                payload.issues.push({
                    code: "invalid_format",
                    format: "url",
                    input: payload.value,
                    inst,
                    continue: !def.abort,
                });
                return;
            }
            if (url === true) {
                payload.value = stripTabAndNewline(trimmed);
                return;
            }
            if (def.hostname && !urlHostnameOk(url, def.hostname)) {
                payload.issues.push({
                    code: "invalid_format",
                    format: "url",
                    note: "Invalid hostname",
                    pattern: def.hostname.source,
                    input: payload.value,
                    inst,
                    continue: !def.abort,
                });
            }
            if (def.protocol && !urlProtocolOk(url, def.protocol)) {
                payload.issues.push({
                    code: "invalid_format",
                    format: "url",
                    note: "Invalid protocol",
                    pattern: def.protocol.source,
                    input: payload.value,
                    inst,
                    continue: !def.abort,
                });
            }
            // Set the output value based on normalize flag
            payload.value = def.normalize ? url.href : stripTabAndNewline(trimmed);
            return;
        }
        catch (_) {
            payload.issues.push({
                code: "invalid_format",
                format: "url",
                input: payload.value,
                inst,
                continue: !def.abort,
            });
        }
    };
});
const $ZodEmoji = /*@__PURE__*/ $constructor("$ZodEmoji", (inst, def) => {
    def.pattern ?? (def.pattern = emoji());
    $ZodStringFormat.init(inst, def);
});
const $ZodNanoID = /*@__PURE__*/ $constructor("$ZodNanoID", (inst, def) => {
    if (def.length !== undefined && (!Number.isInteger(def.length) || def.length < 1))
        throw new Error(`Invalid nanoid length: ${def.length}`);
    def.pattern ?? (def.pattern = def.length === undefined ? nanoid : nanoidOfLength(def.length));
    $ZodStringFormat.init(inst, def);
});
/**
 * @deprecated CUID v1 is deprecated by its authors due to information leakage
 * (timestamps embedded in the id). Use {@link $ZodCUID2} instead.
 * See https://github.com/paralleldrive/cuid.
 */
const $ZodCUID = /*@__PURE__*/ $constructor("$ZodCUID", (inst, def) => {
    def.pattern ?? (def.pattern = cuid);
    $ZodStringFormat.init(inst, def);
});
const $ZodCUID2 = /*@__PURE__*/ $constructor("$ZodCUID2", (inst, def) => {
    def.pattern ?? (def.pattern = cuid2);
    $ZodStringFormat.init(inst, def);
});
const $ZodULID = /*@__PURE__*/ $constructor("$ZodULID", (inst, def) => {
    def.pattern ?? (def.pattern = ulid);
    $ZodStringFormat.init(inst, def);
});
const $ZodXID = /*@__PURE__*/ $constructor("$ZodXID", (inst, def) => {
    def.pattern ?? (def.pattern = xid);
    $ZodStringFormat.init(inst, def);
});
const $ZodKSUID = /*@__PURE__*/ $constructor("$ZodKSUID", (inst, def) => {
    def.pattern ?? (def.pattern = ksuid);
    $ZodStringFormat.init(inst, def);
});
const $ZodISODateTime = /*@__PURE__*/ $constructor("$ZodISODateTime", (inst, def) => {
    def.pattern ?? (def.pattern = datetime(def));
    $ZodStringFormat.init(inst, def);
});
const $ZodISODate = /*@__PURE__*/ $constructor("$ZodISODate", (inst, def) => {
    def.pattern ?? (def.pattern = date);
    $ZodStringFormat.init(inst, def);
});
const $ZodISOTime = /*@__PURE__*/ $constructor("$ZodISOTime", (inst, def) => {
    def.pattern ?? (def.pattern = time(def));
    $ZodStringFormat.init(inst, def);
});
const $ZodISODuration = /*@__PURE__*/ $constructor("$ZodISODuration", (inst, def) => {
    def.pattern ?? (def.pattern = duration);
    $ZodStringFormat.init(inst, def);
});
const $ZodIPv4 = /*@__PURE__*/ $constructor("$ZodIPv4", (inst, def) => {
    def.pattern ?? (def.pattern = ipv4);
    $ZodStringFormat.init(inst, def);
});
/** An IPv6 address is written with hex digits, colons and dots, and nothing else. The guard is what makes the check below an IPv6 check: `new URL("http://[...]")` parses an authority, not an address, so `@` and `\` re-delimit it and `"::@1\\"` validates against the host `0.0.0.1`. The URL parser also deletes ASCII tab, LF and CR rather than failing, which is how `"::1\n"` validated as `::1`. */
const ipv6Alphabet = /^[0-9a-fA-F:.]+$/;
function isValidIPv6(value) {
    if (!ipv6Alphabet.test(value))
        return false;
    return canParseURL(`http://[${value}]`);
}
const $ZodIPv6 = /*@__PURE__*/ $constructor("$ZodIPv6", (inst, def) => {
    def.pattern ?? (def.pattern = ipv6);
    $ZodStringFormat.init(inst, def);
    inst._zod.check = (payload) => {
        if (!isValidIPv6(payload.value)) {
            payload.issues.push({
                code: "invalid_format",
                format: "ipv6",
                input: payload.value,
                inst,
                continue: !def.abort,
            });
        }
    };
});
const $ZodMAC = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("$ZodMAC", (inst, def) => {
    def.pattern ?? (def.pattern = regexes.mac(def.delimiter));
    $ZodStringFormat.init(inst, def);
})));
const $ZodCIDRv4 = /*@__PURE__*/ $constructor("$ZodCIDRv4", (inst, def) => {
    def.pattern ?? (def.pattern = cidrv4);
    $ZodStringFormat.init(inst, def);
});
function isValidCIDRv6(value) {
    const parts = value.split("/");
    if (parts.length !== 2)
        return false;
    const [address, prefix] = parts;
    if (!prefix)
        return false;
    const prefixNum = Number(prefix);
    if (`${prefixNum}` !== prefix)
        return false;
    if (prefixNum < 0 || prefixNum > 128)
        return false;
    return isValidIPv6(address);
}
const $ZodCIDRv6 = /*@__PURE__*/ $constructor("$ZodCIDRv6", (inst, def) => {
    def.pattern ?? (def.pattern = cidrv6); // not used for validation
    $ZodStringFormat.init(inst, def);
    inst._zod.check = (payload) => {
        if (!isValidCIDRv6(payload.value)) {
            payload.issues.push({
                code: "invalid_format",
                format: "cidrv6",
                input: payload.value,
                inst,
                continue: !def.abort,
            });
        }
    };
});
//////////////////////////////   ZodBase64   //////////////////////////////
function isValidBase64(data) {
    if (data === "")
        return true;
    // atob ignores whitespace, so reject it up front.
    if (/\s/.test(data))
        return false;
    if (data.length % 4 !== 0)
        return false;
    try {
        // @ts-ignore
        atob(data);
        return true;
    }
    catch {
        return false;
    }
}
// lax on purpose: the quantified regexes.base64 overflows the regex stack on multi-MB input and its leading ^$| alternation leaks through template-literal composition; isValidBase64 enforces length and padding
const base64Charset = /^[0-9a-zA-Z+/]*={0,2}$/;
const $ZodBase64 = /*@__PURE__*/ $constructor("$ZodBase64", (inst, def) => {
    def.pattern ?? (def.pattern = base64Charset);
    $ZodStringFormat.init(inst, def);
    inst._zod.check = (payload) => {
        if (isValidBase64(payload.value))
            return;
        payload.issues.push({
            code: "invalid_format",
            format: "base64",
            input: payload.value,
            inst,
            continue: !def.abort,
        });
    };
});
//////////////////////////////   ZodBase64URL   //////////////////////////////
// lax on purpose: the quantified regexes.base64url overflows the regex stack on multi-MB input; isValidBase64 enforces length on the padded string
const base64urlCharset = /^[A-Za-z0-9_-]*$/;
function isValidBase64URL(data) {
    if (!base64urlCharset.test(data))
        return false;
    const base64 = data.replace(/[-_]/g, (c) => (c === "-" ? "+" : "/"));
    const padded = base64.padEnd(Math.ceil(base64.length / 4) * 4, "=");
    return isValidBase64(padded);
}
const $ZodBase64URL = /*@__PURE__*/ $constructor("$ZodBase64URL", (inst, def) => {
    def.pattern ?? (def.pattern = base64urlCharset);
    $ZodStringFormat.init(inst, def);
    inst._zod.check = (payload) => {
        if (isValidBase64URL(payload.value))
            return;
        payload.issues.push({
            code: "invalid_format",
            format: "base64url",
            input: payload.value,
            inst,
            continue: !def.abort,
        });
    };
});
const $ZodE164 = /*@__PURE__*/ $constructor("$ZodE164", (inst, def) => {
    def.pattern ?? (def.pattern = e164);
    $ZodStringFormat.init(inst, def);
});
//////////////////////////////   ZodCreditCard   //////////////////////////////
const CC_SANITIZE = /[- ]/g;
/** Luhn checksum on a digit-only string. Adapted from valibot (MIT). */
function isLuhnAlgo(digits) {
    let length = digits.length;
    let bit = 1;
    let sum = 0;
    while (length) {
        const value = digits.charCodeAt(--length) - 48;
        bit ^= 1;
        sum += bit ? [0, 2, 4, 6, 8, 1, 3, 5, 7, 9][value] : value;
    }
    return sum % 10 === 0;
}
function isValidCreditCard(input) {
    if (!regexes.creditCard.test(input))
        return false;
    return isLuhnAlgo(input.replace(CC_SANITIZE, ""));
}
const $ZodCreditCard = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("$ZodCreditCard", (inst, def) => {
    // Shape only — the Luhn check below is not expressible as a pattern, so consumers of `pattern` (JSON Schema, template literals) get the length and separator rules alone.
    def.pattern ?? (def.pattern = regexes.creditCard);
    $ZodStringFormat.init(inst, def);
    inst._zod.check = (payload) => {
        if (isValidCreditCard(payload.value))
            return;
        payload.issues.push({
            code: "invalid_format",
            format: "credit_card",
            input: payload.value,
            inst,
            continue: !def.abort,
        });
    };
})));
//////////////////////////////   ZodIBAN   //////////////////////////////
// iso 7064 mod 97-10 checksum without BigInt
function isIso7064Mod97(iban) {
    let remainder = 0;
    const len = iban.length;
    for (let i = 4; i < len; i++) {
        const code = iban.charCodeAt(i);
        remainder = (code >= 65 ? remainder * 100 + (code - 55) : remainder * 10 + (code - 48)) % 97;
    }
    for (let i = 0; i < 4; i++) {
        const code = iban.charCodeAt(i);
        remainder = (code >= 65 ? remainder * 100 + (code - 55) : remainder * 10 + (code - 48)) % 97;
    }
    return remainder === 1;
}
function isValidIBAN(input) {
    if (!regexes.iban.test(input))
        return false;
    return isIso7064Mod97(input);
}
const $ZodIBAN = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("$ZodIBAN", (inst, def) => {
    // shape only — checksum is not expressible as a pattern
    def.pattern ?? (def.pattern = regexes.iban);
    $ZodStringFormat.init(inst, def);
    inst._zod.check = (payload) => {
        if (isValidIBAN(payload.value))
            return;
        payload.issues.push({
            code: "invalid_format",
            format: "iban",
            input: payload.value,
            inst,
            continue: !def.abort,
        });
    };
})));
//////////////////////////////   ZodJWT   //////////////////////////////
function isValidJWT(token, algorithm = null) {
    try {
        const tokensParts = token.split(".");
        if (tokensParts.length !== 3)
            return false;
        const [header] = tokensParts;
        if (!header)
            return false;
        // @ts-ignore
        const parsedHeader = JSON.parse(atob(header));
        if ("typ" in parsedHeader && parsedHeader?.typ !== "JWT")
            return false;
        if (!parsedHeader.alg)
            return false;
        if (algorithm && (!("alg" in parsedHeader) || parsedHeader.alg !== algorithm))
            return false;
        return true;
    }
    catch {
        return false;
    }
}
const $ZodJWT = /*@__PURE__*/ $constructor("$ZodJWT", (inst, def) => {
    $ZodStringFormat.init(inst, def);
    inst._zod.check = (payload) => {
        if (isValidJWT(payload.value, def.alg))
            return;
        payload.issues.push({
            code: "invalid_format",
            format: "jwt",
            input: payload.value,
            inst,
            continue: !def.abort,
        });
    };
});
const $ZodCustomStringFormat = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("$ZodCustomStringFormat", (inst, def) => {
    $ZodStringFormat.init(inst, def);
    inst._zod.check = (payload) => {
        if (def.fn(payload.value))
            return;
        payload.issues.push({
            code: "invalid_format",
            format: def.format,
            input: payload.value,
            inst,
            continue: !def.abort,
        });
    };
})));
const $ZodNumber = /*@__PURE__*/ $constructor("$ZodNumber", (inst, def) => {
    $ZodType.init(inst, def);
    inst._zod.pattern = number;
    inst._zod.parse = (payload, _ctx) => {
        if (def.coerce)
            try {
                payload.value = Number(payload.value);
            }
            catch (_) { }
        const input = payload.value;
        if (typeof input === "number" && !Number.isNaN(input) && Number.isFinite(input)) {
            return payload;
        }
        const received = typeof input === "number"
            ? Number.isNaN(input)
                ? "NaN"
                : !Number.isFinite(input)
                    ? String(input)
                    : undefined
            : undefined;
        payload.issues.push({
            expected: "number",
            code: "invalid_type",
            input,
            inst,
            ...(received ? { received } : {}),
        });
        return payload;
    };
});
const $ZodNumberFormat = /*@__PURE__*/ $constructor("$ZodNumberFormat", (inst, def) => {
    $ZodCheckNumberFormat.init(inst, def);
    $ZodNumber.init(inst, def); // no format checks
});
const $ZodBoolean = /*@__PURE__*/ $constructor("$ZodBoolean", (inst, def) => {
    $ZodType.init(inst, def);
    inst._zod.pattern = regexes_boolean;
    inst._zod.parse = (payload, _ctx) => {
        if (def.coerce)
            try {
                payload.value = Boolean(payload.value);
            }
            catch (_) { }
        const input = payload.value;
        if (typeof input === "boolean")
            return payload;
        payload.issues.push({
            expected: "boolean",
            code: "invalid_type",
            input,
            inst,
        });
        return payload;
    };
});
const $ZodBigInt = /*@__PURE__*/ $constructor("$ZodBigInt", (inst, def) => {
    $ZodType.init(inst, def);
    inst._zod.pattern = bigint;
    inst._zod.parse = (payload, _ctx) => {
        if (def.coerce)
            try {
                payload.value = BigInt(payload.value);
            }
            catch (_) { }
        if (typeof payload.value === "bigint")
            return payload;
        payload.issues.push({
            expected: "bigint",
            code: "invalid_type",
            input: payload.value,
            inst,
        });
        return payload;
    };
});
const $ZodBigIntFormat = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("$ZodBigIntFormat", (inst, def) => {
    checks.$ZodCheckBigIntFormat.init(inst, def);
    $ZodBigInt.init(inst, def); // no format checks
})));
const $ZodSymbol = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("$ZodSymbol", (inst, def) => {
    $ZodType.init(inst, def);
    inst._zod.parse = (payload, _ctx) => {
        const input = payload.value;
        if (typeof input === "symbol")
            return payload;
        payload.issues.push({
            expected: "symbol",
            code: "invalid_type",
            input,
            inst,
        });
        return payload;
    };
})));
const $ZodUndefined = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("$ZodUndefined", (inst, def) => {
    $ZodType.init(inst, def);
    inst._zod.pattern = regexes.undefined;
    inst._zod.values = new Set([undefined]);
    inst._zod.parse = (payload, _ctx) => {
        const input = payload.value;
        if (typeof input === "undefined")
            return payload;
        payload.issues.push({
            expected: "undefined",
            code: "invalid_type",
            input,
            inst,
        });
        return payload;
    };
})));
const $ZodNull = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("$ZodNull", (inst, def) => {
    $ZodType.init(inst, def);
    inst._zod.pattern = regexes.null;
    inst._zod.values = new Set([null]);
    inst._zod.parse = (payload, _ctx) => {
        const input = payload.value;
        if (input === null)
            return payload;
        payload.issues.push({
            expected: "null",
            code: "invalid_type",
            input,
            inst,
        });
        return payload;
    };
})));
const $ZodAny = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("$ZodAny", (inst, def) => {
    $ZodType.init(inst, def);
    inst._zod.parse = (payload) => payload;
})));
const $ZodUnknown = /*@__PURE__*/ $constructor("$ZodUnknown", (inst, def) => {
    $ZodType.init(inst, def);
    inst._zod.parse = (payload) => payload;
});
const $ZodNever = /*@__PURE__*/ $constructor("$ZodNever", (inst, def) => {
    $ZodType.init(inst, def);
    inst._zod.parse = (payload, _ctx) => {
        payload.issues.push({
            expected: "never",
            code: "invalid_type",
            input: payload.value,
            inst,
        });
        return payload;
    };
});
const $ZodVoid = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("$ZodVoid", (inst, def) => {
    $ZodType.init(inst, def);
    inst._zod.parse = (payload, _ctx) => {
        const input = payload.value;
        if (typeof input === "undefined")
            return payload;
        payload.issues.push({
            expected: "void",
            code: "invalid_type",
            input,
            inst,
        });
        return payload;
    };
})));
const $ZodDate = /*@__PURE__*/ $constructor("$ZodDate", (inst, def) => {
    $ZodType.init(inst, def);
    inst._zod.parse = (payload, _ctx) => {
        if (def.coerce) {
            try {
                payload.value = new Date(payload.value);
            }
            catch (_err) { }
        }
        const input = payload.value;
        const isDate = input instanceof Date;
        const isValidDate = isDate && !Number.isNaN(input.getTime());
        if (isValidDate)
            return payload;
        payload.issues.push({
            expected: "date",
            code: "invalid_type",
            input,
            ...(isDate ? { received: "Invalid Date" } : {}),
            inst,
        });
        return payload;
    };
});
// an oversized container fails its leading size checks before any element is parsed
function capSize(inst, size) {
    const caps = sizeCaps(inst._zod.def.checks);
    if (!caps.length)
        return;
    const cap = Math.min(...caps.map((c) => c[0]));
    const parse = inst._zod.parse;
    inst._zod.parse = (payload, ctx) => {
        const n = size(payload.value);
        if (n > cap && !ctx?.skipChecks && ctx?.direction !== "backward") {
            for (const [max, ch] of sizeCaps(inst._zod.def.checks)) {
                if (n > max && ch._zod.def.when(payload)) {
                    const start = payload.issues.length;
                    ch._zod.check(payload);
                    // the value is still the raw input, so no later check may read it
                    payload.issues[start].continue = false;
                    attachSchema(payload.issues, start, inst);
                    return payload;
                }
            }
        }
        return parse(payload, ctx);
    };
}
const arraySize = (input) => (Array.isArray(input) ? input.length : -1);
const mapSize = (input) => (input instanceof Map ? input.size : -1);
const setSize = (input) => (input instanceof Set ? input.size : -1);
function handleArrayResult(result, final, index) {
    if (result.issues.length) {
        final.issues.push(...prefixIssues(index, result.issues));
    }
    final.value[index] = result.value;
}
const $ZodArray = /*@__PURE__*/ $constructor("$ZodArray", (inst, def) => {
    $ZodType.init(inst, def);
    const memo = globalConfig.memoizer;
    memo?.attach(inst);
    inst._zod.parse = (payload, ctx) => {
        const input = payload.value;
        if (!Array.isArray(input)) {
            payload.issues.push({
                expected: "array",
                code: "invalid_type",
                input,
                inst,
            });
            return payload;
        }
        payload.value = memo ? memo.alloc(inst, payload, Array(input.length), ctx) : Array(input.length);
        const proms = [];
        const abortEarly = ctx?.abortEarly;
        for (let i = 0; i < input.length; i++) {
            const item = input[i];
            const result = def.element._zod.run({
                value: item,
                issues: [],
            }, ctx);
            if (result instanceof Promise) {
                proms.push(result.then((result) => handleArrayResult(result, payload, i)));
            }
            else {
                handleArrayResult(result, payload, i);
                // the element's payload is authoritative here, since handleArrayResult forwards every issue; an object's is not, because it drops a failed absent optional
                if (abortEarly && result.issues.length !== 0 && aborted(result))
                    break;
            }
        }
        if (proms.length) {
            return Promise.all(proms).then(() => payload);
        }
        return payload; //handleArrayResultsAsync(parseResults, final);
    };
    capSize(inst, arraySize);
});
function handlePropertyResult(result, final, key, input, optin, optout) {
    const isPresent = key in input;
    const isOptionalOut = optout === "optional";
    // The middle rung means "absence permitted, nothing supplied in its place", so an absent key contributes nothing — whatever the schema made of `undefined` is invented, not substituted. Only `optional` reaches this with a value: `defaulted` substitutes, and a schema that isn't optional-out has to keep the key.
    if (!isPresent && isOptionalOut && optin === "optional") {
        return;
    }
    if (result.issues.length) {
        // For optional-in/out schemas, ignore errors on absent keys.
        if (optin !== undefined && isOptionalOut && !isPresent) {
            return;
        }
        final.issues.push(...prefixIssues(key, result.issues));
    }
    if (!isPresent && optin === undefined) {
        if (!result.issues.length) {
            final.issues.push({
                code: "invalid_type",
                expected: "nonoptional",
                input: undefined,
                path: [key],
            });
        }
        return;
    }
    if (result.value === undefined) {
        if (isPresent || (optin === "defaulted" && !isOptionalOut)) {
            final.value[key] = undefined;
        }
    }
    else {
        final.value[key] = result.value;
    }
}
// one shared instance; a fresh [] per schema cost 56 bytes retained
const NO_SYMBOL_KEYS = [];
function normalizeDef(def) {
    const keys = Object.keys(def.shape);
    const ownSymbols = Object.getOwnPropertySymbols(def.shape);
    const symbolKeys = ownSymbols.length ? ownSymbols : NO_SYMBOL_KEYS;
    // aliases `keys` when there are no symbols, so a string-only shape keeps one array
    const allKeys = symbolKeys.length ? [...keys, ...symbolKeys] : keys;
    for (const k of allKeys) {
        if (!def.shape?.[k]?._zod?.traits?.has("$ZodType")) {
            throw new Error(`Invalid element at key "${String(k)}": expected a Zod schema`);
        }
    }
    const okeys = optionalKeys(def.shape);
    return {
        ...def,
        allKeys,
        symbolKeys,
        // string-only: handleCatchall matches it against `for...in`, which never yields a symbol
        keySet: new Set(keys),
        numKeys: keys.length,
        optionalKeys: new Set(okeys),
    };
}
function handleCatchall(proms, input, payload, ctx, def, inst, abortEarly) {
    const unrecognized = [];
    const keySet = def.keySet;
    const _catchall = def.catchall._zod;
    const t = _catchall.def.type;
    const optin = _catchall.optin;
    const optout = _catchall.optout;
    // starts at 0, not the current length: the shape phase already ran and may have aborted
    let seen = 0;
    for (const key in input) {
        if (abortEarly && payload.issues.length !== seen) {
            if (aborted(payload, seen))
                break;
            seen = payload.issues.length;
        }
        // Must precede the __proto__ branch: a declared key is not unrecognized, even though the shape loop deliberately strips __proto__ from the parsed output.
        if (keySet.has(key))
            continue;
        // Don't copy an undeclared __proto__ into the result; assignment to a plain {} would replace the result prototype. But in strict mode it is still an unknown key, so report it before skipping.
        if (key === "__proto__") {
            if (t === "never")
                unrecognized.push(key);
            continue;
        }
        if (t === "never") {
            unrecognized.push(key);
            continue;
        }
        const r = _catchall.run({ value: input[key], issues: [] }, ctx);
        if (r instanceof Promise) {
            proms.push(r.then((r) => handlePropertyResult(r, payload, key, input, optin, optout)));
        }
        else {
            handlePropertyResult(r, payload, key, input, optin, optout);
        }
    }
    if (unrecognized.length) {
        payload.issues.push({
            code: "unrecognized_keys",
            keys: unrecognized,
            input,
            inst,
            // Describes the shape of the input, not the validity of the parsed value, so it never aborts. The parse still fails; the schema's own checks just get to run first, and an enclosing intersection can reconcile the key against a sibling operand.
            continue: true,
        });
    }
    if (!proms.length)
        return payload;
    return Promise.all(proms).then(() => {
        return payload;
    });
}
const $ZodObject = /*@__PURE__*/ $constructor("$ZodObject", (inst, def) => {
    // requires cast because technically $ZodObject doesn't extend
    $ZodType.init(inst, def);
    const desc = Object.getOwnPropertyDescriptor(def, "shape");
    // a cloned def carries its source's accessor, which knows the shape it answers from; adopting that keeps the clone's keys readable without running it
    const sh = desc?.get ? desc.get.raw : (def.shape ?? {});
    if (sh) {
        // Freezes the shape on first read, so its getters resolve once and every later read sees the same schemas.
        const get = () => {
            const newSh = { ...sh };
            Object.defineProperty(def, "shape", { value: newSh });
            get.raw = newSh;
            return newSh;
        };
        get.raw = sh;
        Object.defineProperty(def, "shape", { get });
    }
    const _normalized = cached(() => normalizeDef(def));
    defineLazyInternal(inst, "propValues", (zod) => {
        const shape = zod.def.shape;
        const propValues = {};
        for (const key in shape) {
            const field = shape[key]._zod;
            if (field.values) {
                if (!Object.prototype.hasOwnProperty.call(propValues, key)) {
                    util_assignProp(propValues, key, new Set());
                }
                for (const v of field.values)
                    propValues[key].add(v);
                // An omittable slot reads back as undefined at a discriminator lookup, so it has to claim undefined: two options that can both omit the key are not discriminable on it.
                if (field.optin !== undefined)
                    propValues[key].add(undefined);
            }
        }
        return propValues;
    });
    const isObject = util_isObject;
    const catchall = def.catchall;
    let value;
    const memo = globalConfig.memoizer;
    memo?.attach(inst);
    inst._zod.parse = (payload, ctx) => {
        value ?? (value = _normalized.value);
        const input = payload.value;
        if (!isObject(input)) {
            payload.issues.push({
                expected: "object",
                code: "invalid_type",
                input,
                inst,
            });
            return payload;
        }
        payload.value = memo ? memo.alloc(inst, payload, {}, ctx) : {};
        const proms = [];
        const shape = value.shape;
        const abortEarly = ctx?.abortEarly;
        let seen = payload.issues.length;
        for (const key of value.allKeys) {
            if (abortEarly && payload.issues.length !== seen) {
                if (aborted(payload, seen))
                    break;
                seen = payload.issues.length;
            }
            if (key === "__proto__")
                continue;
            const el = shape[key];
            const optin = el._zod.optin;
            const optout = el._zod.optout;
            const r = el._zod.run({ value: input[key], issues: [] }, ctx);
            if (r instanceof Promise) {
                proms.push(r.then((r) => handlePropertyResult(r, payload, key, input, optin, optout)));
            }
            else {
                handlePropertyResult(r, payload, key, input, optin, optout);
            }
        }
        if (!catchall) {
            return proms.length ? Promise.all(proms).then(() => payload) : payload;
        }
        return handleCatchall(proms, input, payload, ctx, _normalized.value, inst, abortEarly === true);
    };
});
const $ZodObjectJIT = /*@__PURE__*/ $constructor("$ZodObjectJIT", (inst, def) => {
    // requires cast because technically $ZodObject doesn't extend
    $ZodObject.init(inst, def);
    const superParse = inst._zod.parse;
    const _normalized = cached(() => normalizeDef(def));
    const memo = globalConfig.memoizer;
    const generateFastpass = (shape) => {
        const normalized = _normalized.value;
        const syms = normalized.symbolKeys;
        // a symbol has no source literal, so it is read as `syms[i]` off the closed-over scope
        const doc = new Doc(["payload", "ctx"], { shape, inst, memo, syms });
        const parseStr = (k) => `shape[${k}]._zod.run({ value: input[${k}], issues: [] }, ctx)`;
        // prefixes in place, like util.prefixIssues. newResult must land before the early return: a catchall runs after this and would otherwise write onto the caller's input
        const prefixStr = (id, k) => `
          let ${id}_ab = false;
          for (let i = 0; i < ${id}.issues.length; i++) {
            const iss = ${id}.issues[i];
            iss.path = iss.path ? [${k}, ...iss.path] : [${k}];
            payload.issues.push(iss);
            if (iss.continue !== true) ${id}_ab = true;
          }
          if (${id}_ab && ctx && ctx.abortEarly) {
            payload.value = newResult;
            return payload;
          }`;
        doc.write(`const input = payload.value;`);
        const ids = Object.create(null);
        let counter = 0;
        for (const key of normalized.allKeys) {
            ids[key] = `key_${counter++}`;
        }
        // A: preserve key order {
        doc.write(memo ? `const newResult = memo.alloc(inst, payload, {}, ctx);` : `const newResult = {};`);
        for (const key of normalized.allKeys) {
            if (key === "__proto__")
                continue;
            const id = ids[key];
            const k = typeof key === "symbol" ? `syms[${syms.indexOf(key)}]` : esc(key);
            const isPresent = `${k} in input`;
            const schema = shape[key];
            const optin = schema?._zod?.optin;
            const isOptionalIn = optin !== undefined;
            const isOptionalOut = schema?._zod?.optout === "optional";
            doc.write(`const ${id} = ${parseStr(k)};`);
            if (isOptionalIn && isOptionalOut) {
                // For optional-in/out schemas, ignore errors on absent keys — and, like the interpreted path, drop the value produced alongside them. The middle rung goes further: it permits absence without supplying anything in its place, so an absent key contributes nothing at all.
                const assign = optin === "optional" ? `${id}_present` : `${id}.value !== undefined || ${id}_present`;
                doc.write(`
        const ${id}_present = ${isPresent};
        if (!${id}.issues.length || ${id}_present) {
          if (${id}.issues.length) {${prefixStr(id, k)}
          }

          if (${assign}) {
            newResult[${k}] = ${id}.value;
          }
        }

      `);
            }
            else if (!isOptionalIn) {
                doc.write(`
        const ${id}_present = ${isPresent};
        if (${id}.issues.length) {${prefixStr(id, k)}
        }
        if (!${id}_present && !${id}.issues.length) {
          payload.issues.push({
            code: "invalid_type",
            expected: "nonoptional",
            input: undefined,
            path: [${k}]
          });
          if (ctx && ctx.abortEarly) {
            payload.value = newResult;
            return payload;
          }
        }

        if (${id}_present) {
          newResult[${k}] = ${id}.value;
        }

      `);
            }
            else {
                doc.write(`
        if (${id}.issues.length) {${prefixStr(id, k)}
        }
      `);
                if (optin === "defaulted") {
                    doc.write(`newResult[${k}] = ${id}.value;`);
                }
                else {
                    doc.write(`
        if (${id}.value !== undefined || ${isPresent}) {
          newResult[${k}] = ${id}.value;
        }
      `);
                }
            }
        }
        doc.write(`payload.value = newResult;`);
        doc.write(`return payload;`);
        // closing `shape` in is what pays: turbofan specializes the parser against that one shape object, so every `shape[k]._zod.run` folds to a known callee. as a parameter it stays a generic load and measures 13% slower even with the forwarding frame gone
        return doc.compile();
    };
    let fastpass;
    const isObject = util_isObject;
    const jit = !globalConfig.jitless;
    const allowsEval = util_allowsEval;
    const fastEnabled = jit && allowsEval.value; // && !def.catchall;
    const catchall = def.catchall;
    let value;
    inst._zod.parse = (payload, ctx) => {
        value ?? (value = _normalized.value);
        const input = payload.value;
        if (!isObject(input)) {
            payload.issues.push({
                expected: "object",
                code: "invalid_type",
                input,
                inst,
            });
            return payload;
        }
        if (jit && fastEnabled && ctx?.async === false && ctx.jitless !== true) {
            // always synchronous
            if (!fastpass)
                fastpass = generateFastpass(def.shape);
            payload = fastpass(payload, ctx);
            if (!catchall)
                return payload;
            return handleCatchall([], input, payload, ctx, value, inst, ctx?.abortEarly === true);
        }
        return superParse(payload, ctx);
    };
});
function handleUnionResults(results, final, inst, ctx) {
    for (const result of results) {
        if (result.issues.length === 0) {
            final.value = result.value;
            return final;
        }
    }
    const nonaborted = results.filter((r) => !aborted(r));
    if (nonaborted.length === 1) {
        final.value = nonaborted[0].value;
        return nonaborted[0];
    }
    final.issues.push({
        code: "invalid_union",
        input: final.value,
        inst,
        errors: results.map((result) => result.issues.map((iss) => finalizeIssue(iss, ctx, config()))),
    });
    return final;
}
const $ZodUnion = /*@__PURE__*/ $constructor("$ZodUnion", (inst, def) => {
    $ZodType.init(inst, def);
    defineLazyInternal(inst, "optin", (zod) => zod.def.options.some((o) => o._zod.optin === "defaulted")
        ? "defaulted"
        : zod.def.options.some((o) => o._zod.optin !== undefined)
            ? "optional"
            : undefined);
    defineLazyInternal(inst, "optout", (zod) => zod.def.options.some((o) => o._zod.optout === "optional") ? "optional" : undefined);
    defineLazyInternal(inst, "values", (zod) => {
        if (zod.def.options.every((o) => o._zod.values)) {
            return new Set(zod.def.options.flatMap((option) => Array.from(option._zod.values)));
        }
        return undefined;
    });
    defineLazyInternal(inst, "pattern", (zod) => {
        if (zod.def.options.every((o) => o._zod.pattern)) {
            const patterns = zod.def.options.map((o) => o._zod.pattern);
            return new RegExp(`^(${patterns.map((p) => cleanRegex(p.source)).join("|")})$`);
        }
        return undefined;
    });
    const first = def.options.length === 1 ? def.options[0]._zod.run : null;
    inst._zod.parse = (payload, ctx) => {
        if (first) {
            return first(payload, ctx);
        }
        let async = false;
        const results = [];
        for (const option of def.options) {
            const result = option._zod.run({
                value: payload.value,
                issues: [],
            }, ctx);
            if (result instanceof Promise) {
                results.push(result);
                async = true;
            }
            else {
                if (result.issues.length === 0)
                    return result;
                results.push(result);
            }
        }
        if (!async)
            return handleUnionResults(results, payload, inst, ctx);
        return Promise.all(results).then((results) => {
            return handleUnionResults(results, payload, inst, ctx);
        });
    };
});
function handleExclusiveUnionResults(results, final, inst, ctx) {
    const matches = [];
    for (let i = 0; i < results.length; i++) {
        if (results[i].issues.length === 0)
            matches.push(i);
    }
    if (matches.length === 1) {
        final.value = results[matches[0]].value;
        return final;
    }
    if (matches.length === 0) {
        // No matches - same as regular union
        final.issues.push({
            code: "invalid_union",
            input: final.value,
            inst,
            errors: results.map((result) => result.issues.map((iss) => util.finalizeIssue(iss, ctx, core.config()))),
        });
    }
    else {
        // Multiple matches - exclusive union failure
        final.issues.push({
            code: "invalid_union",
            input: final.value,
            inst,
            errors: [],
            inclusive: false,
            matches,
        });
    }
    return final;
}
const $ZodXor = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("$ZodXor", (inst, def) => {
    $ZodUnion.init(inst, def);
    def.inclusive = false;
    const first = def.options.length === 1 ? def.options[0]._zod.run : null;
    inst._zod.parse = (payload, ctx) => {
        if (first) {
            return first(payload, ctx);
        }
        let async = false;
        const results = [];
        for (const option of def.options) {
            const result = option._zod.run({
                value: payload.value,
                issues: [],
            }, ctx);
            if (result instanceof Promise) {
                results.push(result);
                async = true;
            }
            else {
                results.push(result);
            }
        }
        if (!async)
            return handleExclusiveUnionResults(results, payload, inst, ctx);
        return Promise.all(results).then((results) => {
            return handleExclusiveUnionResults(results, payload, inst, ctx);
        });
    };
})));
/** Returns the option whose discriminator claims `value`, or throws if ambiguous. */
function getDiscriminatedOption(union, value) {
    const internals = union._zod;
    let map = internals.bag.optionsMap;
    if (!map) {
        map = discriminatorMap(internals.def);
        internals.bag.optionsMap = map;
    }
    const option = map.get(value);
    if (option === null)
        throw new Error(`Ambiguous discriminator value "${String(value)}"`);
    return option;
}
function discriminatorMap(def) {
    const map = new Map();
    for (const option of def.options) {
        const values = option._zod.propValues?.[def.discriminator];
        if (!values || values.size === 0)
            throw new Error(`Invalid discriminated union option at index "${def.options.indexOf(option)}"`);
        for (const value of values) {
            if (map.has(value)) {
                if (value !== undefined)
                    throw new Error(`Duplicate discriminator value "${String(value)}"`);
                // keep the collision marked so a later member cannot reclaim it
                map.set(value, null);
            }
            else {
                map.set(value, option);
            }
        }
    }
    return map;
}
const $ZodDiscriminatedUnion = 
/*@__PURE__*/
$constructor("$ZodDiscriminatedUnion", (inst, def) => {
    def.inclusive = false;
    $ZodUnion.init(inst, def);
    const _super = inst._zod.parse;
    defineLazyInternal(inst, "propValues", (zod) => {
        const propValues = {};
        let undefinedCount = 0;
        for (const option of zod.def.options) {
            const pv = option._zod.propValues;
            if (!pv || Object.keys(pv).length === 0)
                throw new Error(`Invalid discriminated union option at index "${zod.def.options.indexOf(option)}"`);
            if (pv[zod.def.discriminator]?.has(undefined))
                undefinedCount++;
            for (const [k, v] of Object.entries(pv)) {
                if (!Object.prototype.hasOwnProperty.call(propValues, k)) {
                    util_assignProp(propValues, k, new Set());
                }
                for (const val of v) {
                    propValues[k].add(val);
                }
            }
        }
        if (!zod.def.unionFallback && undefinedCount > 1)
            propValues[zod.def.discriminator]?.delete(undefined);
        return propValues;
    });
    // Checked now rather than in the lookup map below, so an option that lacks the discriminator fails at the `discriminatedUnion` call instead of on the first object parsed. Options whose shape cannot be enumerated without resolving it — pipes and lazies — are left to the map.
    def.options.forEach((option, i) => {
        const propShape = rawShape(option._zod.def);
        if (propShape && !Object.prototype.hasOwnProperty.call(propShape, def.discriminator)) {
            throw new Error(`Invalid discriminated union option at index "${i}"`);
        }
    });
    const disc = cached(() => discriminatorMap(def));
    inst._zod.parse = (payload, ctx) => {
        const input = payload.value;
        if (!util_isObject(input)) {
            payload.issues.push({
                code: "invalid_type",
                expected: "object",
                input,
                inst,
            });
            return payload;
        }
        const value = input?.[def.discriminator];
        const opt = disc.value.get(value);
        // forward metadata cannot choose an encoder for an absent tag
        if (opt && (value !== undefined || ctx.direction !== "backward")) {
            return opt._zod.run(payload, ctx);
        }
        // Fall back to union matching when the fast discriminator path fails:
        // - explicitly enabled via unionFallback, or
        // - during backward direction (encode), since codec-based discriminators have different values in forward vs backward directions
        if (def.unionFallback || ctx.direction === "backward") {
            return _super(payload, ctx);
        }
        // no matching discriminator
        payload.issues.push({
            code: "invalid_union",
            errors: [],
            note: "No matching discriminator",
            discriminator: def.discriminator,
            options: Array.from(disc.value.keys()).filter((value) => disc.value.get(value) !== null),
            input,
            path: [def.discriminator],
            inst,
        });
        return payload;
    };
});
const $ZodIntersection = /*@__PURE__*/ $constructor("$ZodIntersection", (inst, def) => {
    $ZodType.init(inst, def);
    inst._zod.parse = (payload, ctx) => {
        const input = payload.value;
        const left = def.left._zod.run({ value: input, issues: [] }, ctx);
        const right = def.right._zod.run({ value: input, issues: [] }, ctx);
        const async = left instanceof Promise || right instanceof Promise;
        if (async) {
            return Promise.all([left, right]).then(([left, right]) => {
                return handleIntersectionResults(payload, left, right);
            });
        }
        return handleIntersectionResults(payload, left, right);
    };
});
function mergeValues(a, b) {
    // const aType = parse.t(a);
    // const bType = parse.t(b);
    if (a === b) {
        return { valid: true, data: a };
    }
    if (a instanceof Date && b instanceof Date && +a === +b) {
        return { valid: true, data: a };
    }
    if (isPlainObject(a) && isPlainObject(b)) {
        const bKeys = Object.keys(b);
        const sharedKeys = Object.keys(a).filter((key) => bKeys.indexOf(key) !== -1);
        const newObj = { ...a, ...b };
        if (Object.prototype.hasOwnProperty.call(newObj, "__proto__"))
            delete newObj.__proto__;
        for (const key of sharedKeys) {
            if (key === "__proto__")
                continue;
            const sharedValue = mergeValues(a[key], b[key]);
            if (!sharedValue.valid) {
                return {
                    valid: false,
                    mergeErrorPath: [key, ...sharedValue.mergeErrorPath],
                };
            }
            newObj[key] = sharedValue.data;
        }
        return { valid: true, data: newObj };
    }
    if (Array.isArray(a) && Array.isArray(b)) {
        if (a.length !== b.length) {
            return { valid: false, mergeErrorPath: [] };
        }
        const newArray = [];
        for (let index = 0; index < a.length; index++) {
            const itemA = a[index];
            const itemB = b[index];
            const sharedValue = mergeValues(itemA, itemB);
            if (!sharedValue.valid) {
                return {
                    valid: false,
                    mergeErrorPath: [index, ...sharedValue.mergeErrorPath],
                };
            }
            newArray.push(sharedValue.data);
        }
        return { valid: true, data: newArray };
    }
    return { valid: false, mergeErrorPath: [] };
}
function handleIntersectionResults(result, left, right) {
    // Track which side(s) reject each key. A key rejection is reported only when BOTH sides reject it, so a key owned by one branch survives the other's key schema. strictObject reports these as unrecognized_keys; a record with an open key schema reports one invalid_key per key.
    const unrecKeys = new Map();
    let unrecIssue;
    const keyIssues = new Map();
    const collect = (iss, side) => {
        let keys;
        if (iss.code === "unrecognized_keys" && !iss.path?.length) {
            unrecIssue ?? (unrecIssue = iss);
            keys = iss.keys;
        }
        else if (iss.code === "invalid_key" && iss.origin === "record" && iss.path?.length === 1) {
            const k = String(iss.path[0]);
            if (!keyIssues.has(k))
                keyIssues.set(k, iss);
            keys = [k];
        }
        else {
            return false;
        }
        for (const k of keys) {
            if (!unrecKeys.has(k))
                unrecKeys.set(k, {});
            unrecKeys.get(k)[side] = true;
        }
        return true;
    };
    for (const iss of left.issues) {
        if (!collect(iss, "l"))
            result.issues.push(iss);
    }
    for (const iss of right.issues) {
        if (!collect(iss, "r"))
            result.issues.push(iss);
    }
    // Report only keys rejected by BOTH sides
    const bothKeys = [...unrecKeys].filter(([, f]) => f.l && f.r).map(([k]) => k);
    if (bothKeys.length) {
        const aggregated = unrecIssue ? bothKeys.filter((k) => unrecIssue.keys.includes(k)) : [];
        if (aggregated.length)
            result.issues.push({ ...unrecIssue, keys: aggregated });
        for (const k of bothKeys) {
            if (!aggregated.includes(k) && keyIssues.has(k))
                result.issues.push(keyIssues.get(k));
        }
    }
    const merged = mergeValues(left.value, right.value);
    if (!merged.valid) {
        if (aborted(result))
            return result;
        throw new Error(`Unmergable intersection. Error path: ` + `${JSON.stringify(merged.mergeErrorPath)}`);
    }
    result.value = merged.data;
    return result;
}
const $ZodTuple = /*@__PURE__*/ $constructor("$ZodTuple", (inst, def) => {
    $ZodType.init(inst, def);
    const items = def.items;
    const memo = globalConfig.memoizer;
    memo?.attach(inst);
    inst._zod.parse = (payload, ctx) => {
        const input = payload.value;
        if (!Array.isArray(input)) {
            payload.issues.push({
                input,
                inst,
                expected: "tuple",
                code: "invalid_type",
            });
            return payload;
        }
        payload.value = memo ? memo.alloc(inst, payload, [], ctx) : [];
        const proms = [];
        const optinStart = getTupleOptStart(items, "optin");
        const optoutStart = getTupleOptStart(items, "optout");
        if (!def.rest) {
            if (input.length < optinStart) {
                payload.issues.push({
                    code: "too_small",
                    minimum: optinStart,
                    inclusive: true,
                    input,
                    inst,
                    origin: "array",
                });
                return payload;
            }
            if (input.length > items.length) {
                payload.issues.push({
                    code: "too_big",
                    maximum: items.length,
                    inclusive: true,
                    input,
                    inst,
                    origin: "array",
                });
            }
        }
        // Run every item in parallel, collecting results into an indexed array. The post-processing in `handleTupleResults` walks them in order so it can decide whether an absent optional-output error can truncate the tail or must be reported to preserve required output.
        const itemResults = new Array(items.length);
        // only tracked when there is a rest loop to skip
        const abortEarly = def.rest ? ctx?.abortEarly : undefined;
        let itemAborted = false;
        for (let i = 0; i < items.length; i++) {
            const r = items[i]._zod.run({ value: input[i], issues: [] }, ctx);
            if (r instanceof Promise) {
                proms.push(r.then((rr) => {
                    itemResults[i] = rr;
                }));
            }
            else {
                itemResults[i] = r;
                if (abortEarly && !itemAborted && r.issues.length)
                    itemAborted = aborted(r);
            }
        }
        // sound because rest is non-empty exactly when every fixed index is present, the one case handleTupleResults cannot discard an item's issues
        if (def.rest && !itemAborted) {
            let i = items.length - 1;
            const rest = input.slice(items.length);
            let seen = payload.issues.length;
            for (const el of rest) {
                if (abortEarly && payload.issues.length !== seen) {
                    if (aborted(payload, seen))
                        break;
                    seen = payload.issues.length;
                }
                i++;
                const result = def.rest._zod.run({ value: el, issues: [] }, ctx);
                if (result instanceof Promise) {
                    proms.push(result.then((r) => handleTupleResult(r, payload, i)));
                }
                else {
                    handleTupleResult(result, payload, i);
                }
            }
        }
        if (proms.length) {
            return Promise.all(proms).then(() => handleTupleResults(itemResults, payload, items, input, optoutStart));
        }
        return handleTupleResults(itemResults, payload, items, input, optoutStart);
    };
});
function getTupleOptStart(items, key) {
    for (let i = items.length - 1; i >= 0; i--) {
        // optin is a three-rung ladder so any rung above `undefined` permits an absent slot; optout stays two-valued.
        const omittable = key === "optin" ? items[i]._zod.optin !== undefined : items[i]._zod.optout === "optional";
        if (!omittable)
            return i + 1;
    }
    return 0;
}
function handleTupleResult(result, final, index) {
    if (result.issues.length) {
        final.issues.push(...prefixIssues(index, result.issues));
    }
    final.value[index] = result.value;
}
function handleTupleResults(itemResults, final, items, input, optoutStart) {
    // Walk results in order. Mirror $ZodObject's swallow-on-absent-optional rule, but only after `optoutStart`: the first index where the output tuple tail can be absent.
    for (let i = 0; i < items.length; i++) {
        const r = itemResults[i];
        const isPresent = i < input.length;
        // The array analog of `handlePropertyResult`'s absent-key early return: the middle rung permits absence without supplying anything in its place, so the tail truncates here instead of materializing whatever the item made of `undefined`.
        if (!isPresent && i >= optoutStart && items[i]._zod.optin === "optional") {
            final.value.length = i;
            break;
        }
        if (r.issues.length) {
            if (!isPresent && i >= optoutStart) {
                final.value.length = i;
                break;
            }
            final.issues.push(...prefixIssues(i, r.issues));
        }
        final.value[i] = r.value;
    }
    // Drop trailing slots that produced `undefined` for absent input
    // (the array analog of an absent optional key on an object). The
    // `i >= input.length` floor is critical: an explicit `undefined`
    // *inside* the input must be preserved even when the schema is
    // optional-out (e.g. `z.string().or(z.undefined())` accepting an
    // explicit undefined value).
    for (let i = final.value.length - 1; i >= input.length; i--) {
        if (items[i]._zod.optout === "optional" && final.value[i] === undefined) {
            final.value.length = i;
        }
        else {
            break;
        }
    }
    return final;
}
const $ZodRecord = /*@__PURE__*/ $constructor("$ZodRecord", (inst, def) => {
    $ZodType.init(inst, def);
    const memo = globalConfig.memoizer;
    memo?.attach(inst);
    inst._zod.parse = (payload, ctx) => {
        const input = payload.value;
        if (!isPlainObject(input)) {
            payload.issues.push({
                expected: "record",
                code: "invalid_type",
                input,
                inst,
            });
            return payload;
        }
        // no guard in either loop below: a record's invalid_key aborts but an enclosing intersection can reconcile it, so a stopped loop hides keys the sibling does not own and the intersection then rejects nothing
        const proms = [];
        const values = def.keyType._zod.values;
        if (values && !def.partial) {
            payload.value = memo ? memo.alloc(inst, payload, {}, ctx) : {};
            const recordKeys = new Set();
            for (const key of values) {
                if (typeof key === "string" || typeof key === "number" || typeof key === "symbol") {
                    recordKeys.add(typeof key === "number" ? key.toString() : key);
                    // A declared __proto__ is stripped but is not an unrecognized key.
                    if (key === "__proto__")
                        continue;
                    const keyResult = def.keyType._zod.run({ value: key, issues: [] }, ctx);
                    if (keyResult instanceof Promise) {
                        throw new Error("Async schemas not supported in object keys currently");
                    }
                    if (keyResult.issues.length) {
                        payload.issues.push({
                            code: "invalid_key",
                            origin: "record",
                            issues: keyResult.issues.map((iss) => finalizeIssue(iss, ctx, config())),
                            input: key,
                            path: [key],
                            inst,
                        });
                        continue;
                    }
                    const outKey = keyResult.value;
                    if (outKey === "__proto__")
                        continue;
                    const result = def.valueType._zod.run({ value: input[key], issues: [] }, ctx);
                    if (result instanceof Promise) {
                        proms.push(result.then((result) => {
                            if (result.issues.length) {
                                payload.issues.push(...prefixIssues(key, result.issues));
                            }
                            payload.value[outKey] = result.value;
                        }));
                    }
                    else {
                        if (result.issues.length) {
                            payload.issues.push(...prefixIssues(key, result.issues));
                        }
                        payload.value[outKey] = result.value;
                    }
                }
            }
            let unrecognized;
            for (const key in input) {
                if (!recordKeys.has(key)) {
                    if (def.mode === "loose") {
                        // skip __proto__ so it can't replace the result prototype via the assignment setter on the plain {} we build into
                        if (key === "__proto__")
                            continue;
                        payload.value[key] = input[key];
                    }
                    else {
                        unrecognized = unrecognized ?? [];
                        unrecognized.push(key);
                    }
                }
            }
            if (unrecognized && unrecognized.length > 0) {
                payload.issues.push({
                    code: "unrecognized_keys",
                    input,
                    inst,
                    keys: unrecognized,
                    continue: true,
                });
            }
        }
        else {
            payload.value = memo ? memo.alloc(inst, payload, {}, ctx) : {};
            // An enumerable key schema declares which keys the record owns, so a key outside the set is unrecognized. A non-enumerable one (regex, refine) is a constraint every key must satisfy, so a failing key is invalid. Only the former is reconcilable against the other side of an intersection.
            let unrecognized;
            // Reflect.ownKeys for Symbol-key support; filter non-enumerable to match z.object()
            for (const key of Reflect.ownKeys(input)) {
                if (key === "__proto__")
                    continue;
                if (!Object.prototype.propertyIsEnumerable.call(input, key))
                    continue;
                let keyResult = def.keyType._zod.run({ value: key, issues: [] }, ctx);
                if (keyResult instanceof Promise) {
                    throw new Error("Async schemas not supported in object keys currently");
                }
                // Numeric string fallback: if key is a numeric string and failed, retry with Number(key). This handles z.number(), z.literal([1, 2, 3]), and unions containing numeric literals
                const checkNumericKey = typeof key === "string" && number.test(key) && keyResult.issues.length;
                if (checkNumericKey) {
                    const retryResult = def.keyType._zod.run({ value: Number(key), issues: [] }, ctx);
                    if (retryResult instanceof Promise) {
                        throw new Error("Async schemas not supported in object keys currently");
                    }
                    if (retryResult.issues.length === 0) {
                        keyResult = retryResult;
                    }
                }
                if (keyResult.issues.length) {
                    if (def.mode === "loose") {
                        // Pass through unchanged
                        payload.value[key] = input[key];
                    }
                    else if (values) {
                        unrecognized = unrecognized ?? [];
                        unrecognized.push(key);
                    }
                    else {
                        // Default "strict" behavior: error on invalid key
                        payload.issues.push({
                            code: "invalid_key",
                            origin: "record",
                            issues: keyResult.issues.map((iss) => finalizeIssue(iss, ctx, config())),
                            input: key,
                            path: [key],
                            inst,
                        });
                    }
                    continue;
                }
                // the guard above tests the raw input key, but the key schema can normalize an ordinary key into __proto__; re-check the key we actually write under
                const outKey = keyResult.value;
                if (outKey === "__proto__")
                    continue;
                const result = def.valueType._zod.run({ value: input[key], issues: [] }, ctx);
                if (result instanceof Promise) {
                    proms.push(result.then((result) => {
                        if (result.issues.length) {
                            payload.issues.push(...prefixIssues(key, result.issues));
                        }
                        payload.value[outKey] = result.value;
                    }));
                }
                else {
                    if (result.issues.length) {
                        payload.issues.push(...prefixIssues(key, result.issues));
                    }
                    payload.value[outKey] = result.value;
                }
            }
            if (unrecognized && unrecognized.length > 0) {
                payload.issues.push({
                    code: "unrecognized_keys",
                    input,
                    inst,
                    keys: unrecognized,
                    continue: true,
                });
            }
        }
        if (proms.length) {
            return Promise.all(proms).then(() => payload);
        }
        return payload;
    };
});
const $ZodMap = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("$ZodMap", (inst, def) => {
    $ZodType.init(inst, def);
    const memo = core.globalConfig.memoizer;
    memo?.attach(inst);
    inst._zod.parse = (payload, ctx) => {
        const input = payload.value;
        if (!(input instanceof Map)) {
            payload.issues.push({
                expected: "map",
                code: "invalid_type",
                input,
                inst,
            });
            return payload;
        }
        const proms = [];
        payload.value = memo ? memo.alloc(inst, payload, new Map(), ctx) : new Map();
        const abortEarly = ctx?.abortEarly;
        let seen = payload.issues.length;
        for (const [key, value] of input) {
            if (abortEarly && payload.issues.length !== seen) {
                if (util.aborted(payload, seen))
                    break;
                seen = payload.issues.length;
            }
            const keyResult = def.keyType._zod.run({ value: key, issues: [] }, ctx);
            const valueResult = def.valueType._zod.run({ value: value, issues: [] }, ctx);
            if (keyResult instanceof Promise || valueResult instanceof Promise) {
                proms.push(Promise.all([keyResult, valueResult]).then(([keyResult, valueResult]) => {
                    handleMapResult(keyResult, valueResult, payload, key, input, inst, ctx);
                }));
            }
            else {
                handleMapResult(keyResult, valueResult, payload, key, input, inst, ctx);
            }
        }
        if (proms.length)
            return Promise.all(proms).then(() => payload);
        return payload;
    };
    capSize(inst, mapSize);
})));
function handleMapResult(keyResult, valueResult, final, key, input, inst, ctx) {
    if (keyResult.issues.length) {
        if (util.propertyKeyTypes.has(typeof key)) {
            final.issues.push(...util.prefixIssues(key, keyResult.issues));
        }
        else {
            final.issues.push({
                code: "invalid_key",
                origin: "map",
                input,
                inst,
                issues: keyResult.issues.map((iss) => util.finalizeIssue(iss, ctx, core.config())),
            });
        }
    }
    if (valueResult.issues.length) {
        if (util.propertyKeyTypes.has(typeof key)) {
            final.issues.push(...util.prefixIssues(key, valueResult.issues));
        }
        else {
            final.issues.push({
                origin: "map",
                code: "invalid_element",
                input,
                inst,
                key: key,
                issues: valueResult.issues.map((iss) => util.finalizeIssue(iss, ctx, core.config())),
            });
        }
    }
    final.value.set(keyResult.value, valueResult.value);
}
const $ZodSet = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("$ZodSet", (inst, def) => {
    $ZodType.init(inst, def);
    const memo = core.globalConfig.memoizer;
    memo?.attach(inst);
    inst._zod.parse = (payload, ctx) => {
        const input = payload.value;
        if (!(input instanceof Set)) {
            payload.issues.push({
                input,
                inst,
                expected: "set",
                code: "invalid_type",
            });
            return payload;
        }
        const proms = [];
        payload.value = memo ? memo.alloc(inst, payload, new Set(), ctx) : new Set();
        const abortEarly = ctx?.abortEarly;
        let seen = payload.issues.length;
        for (const item of input) {
            if (abortEarly && payload.issues.length !== seen) {
                if (util.aborted(payload, seen))
                    break;
                seen = payload.issues.length;
            }
            const result = def.valueType._zod.run({ value: item, issues: [] }, ctx);
            if (result instanceof Promise) {
                proms.push(result.then((result) => handleSetResult(result, payload)));
            }
            else
                handleSetResult(result, payload);
        }
        if (proms.length)
            return Promise.all(proms).then(() => payload);
        return payload;
    };
    capSize(inst, setSize);
})));
function handleSetResult(result, final) {
    if (result.issues.length) {
        final.issues.push(...result.issues);
    }
    final.value.add(result.value);
}
const $ZodEnum = /*@__PURE__*/ $constructor("$ZodEnum", (inst, def) => {
    $ZodType.init(inst, def);
    const values = getEnumValues(def.entries);
    const valuesSet = new Set(values);
    inst._zod.values = valuesSet;
    defineLazyInternal(inst, "pattern", (zod) => {
        const patternValues = getEnumValues(zod.def.entries).filter((k) => propertyKeyTypes.has(typeof k));
        // unmatchable fallback, RE2-safe: an empty alternation would compile to /^()$/, which matches ""
        return new RegExp(patternValues.length ? `^(${patternValues.map((o) => escapeRegex(o.toString())).join("|")})$` : "^[^\\s\\S]$");
    });
    inst._zod.parse = (payload, _ctx) => {
        const input = payload.value;
        if (valuesSet.has(input)) {
            return payload;
        }
        payload.issues.push({
            code: "invalid_value",
            values,
            input,
            inst,
        });
        return payload;
    };
});
const $ZodLiteral = /*@__PURE__*/ $constructor("$ZodLiteral", (inst, def) => {
    $ZodType.init(inst, def);
    const values = new Set(def.values);
    inst._zod.values = values;
    defineLazyInternal(inst, "pattern", (zod) => {
        const vals = zod.def.values;
        // unmatchable fallback, RE2-safe: an empty alternation would compile to /^()$/, which matches ""
        return new RegExp(vals.length
            ? `^(${vals
                .map((o) => typeof o === "string" ? escapeRegex(o) : o ? escapeRegex(o.toString()) : String(o))
                .join("|")})$`
            : "^[^\\s\\S]$");
    });
    inst._zod.parse = (payload, _ctx) => {
        const input = payload.value;
        if (values.has(input)) {
            return payload;
        }
        payload.issues.push({
            code: "invalid_value",
            values: def.values,
            input,
            inst,
        });
        return payload;
    };
});
const $ZodFile = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("$ZodFile", (inst, def) => {
    $ZodType.init(inst, def);
    inst._zod.parse = (payload, _ctx) => {
        const input = payload.value;
        // @ts-ignore
        if (input instanceof File)
            return payload;
        payload.issues.push({
            expected: "file",
            code: "invalid_type",
            input,
            inst,
        });
        return payload;
    };
})));
const $ZodTransform = /*@__PURE__*/ $constructor("$ZodTransform", (inst, def) => {
    $ZodType.init(inst, def);
    inst._zod.optin = "optional";
    globalConfig.memoizer?.guard(inst);
    inst._zod.parse = (payload, ctx) => {
        if (ctx.direction === "backward") {
            throw new $ZodEncodeError(inst.constructor.name);
        }
        const _out = def.transform(payload.value, payload);
        if (ctx.async) {
            const output = _out instanceof Promise ? _out : Promise.resolve(_out);
            return output.then((output) => {
                payload.value = output;
                return payload;
            });
        }
        if (_out instanceof Promise) {
            throw new $ZodAsyncError();
        }
        payload.value = _out;
        return payload;
    };
});
function handleOptionalResult(payload, result) {
    // A substituting schema that still failed has no usable answer; yield undefined. Its issues are simply dropped: it ran on a payload of its own, so there is no shared array to truncate and nothing of the caller's to lose with it.
    payload.value = result.issues.length ? undefined : result.value;
    return payload;
}
const $ZodOptional = /*@__PURE__*/ $constructor("$ZodOptional", (inst, def) => {
    $ZodType.init(inst, def);
    // .optional() propagates absence rather than substituting for it, so a defaulted inner keeps its rung.
    defineLazyInternal(inst, "optin", (zod) => zod.def.innerType._zod.optin === "defaulted" ? "defaulted" : "optional");
    inst._zod.optout = "optional";
    defineLazyInternal(inst, "values", (zod) => {
        const values = zod.def.innerType._zod.values;
        return values ? new Set([...values, undefined]) : undefined;
    });
    defineLazyInternal(inst, "pattern", (zod) => {
        const pattern = zod.def.innerType._zod.pattern;
        return pattern ? new RegExp(`^(${cleanRegex(pattern.source)})?$`) : undefined;
    });
    inst._zod.parse = (payload, ctx) => {
        if (payload.value === undefined) {
            // Only the top rung substitutes a value for absence; everything else leaves it intact, which is what .optional() means.
            if (def.innerType._zod.optin !== "defaulted")
                return payload;
            // Its own payload, for the same reason $ZodCatch gets one: a pipe forwards an unrecognized key through the caller's issues array, and this must not read that as the substituting schema failing and drop it.
            const result = def.innerType._zod.run({ value: payload.value, issues: [] }, ctx);
            if (result instanceof Promise)
                return result.then((result) => handleOptionalResult(payload, result));
            return handleOptionalResult(payload, result);
        }
        return def.innerType._zod.run(payload, ctx);
    };
});
const $ZodExactOptional = /*@__PURE__*/ $constructor("$ZodExactOptional", (inst, def) => {
    // Call parent init - inherits optin/optout = "optional"
    $ZodOptional.init(inst, def);
    // Override values/pattern to NOT add undefined
    defineLazyInternal(inst, "values", (zod) => zod.def.innerType._zod.values);
    defineLazyInternal(inst, "pattern", (zod) => zod.def.innerType._zod.pattern);
    // Override parse to just delegate (no undefined handling)
    inst._zod.parse = (payload, ctx) => {
        return def.innerType._zod.run(payload, ctx);
    };
});
const $ZodNullable = /*@__PURE__*/ $constructor("$ZodNullable", (inst, def) => {
    $ZodType.init(inst, def);
    defineLazyInternal(inst, "optin", (zod) => zod.def.innerType._zod.optin);
    defineLazyInternal(inst, "optout", (zod) => zod.def.innerType._zod.optout);
    defineLazyInternal(inst, "pattern", (zod) => {
        const pattern = zod.def.innerType._zod.pattern;
        return pattern ? new RegExp(`^(${cleanRegex(pattern.source)}|null)$`) : undefined;
    });
    defineLazyInternal(inst, "values", (zod) => {
        return zod.def.innerType._zod.values ? new Set([...zod.def.innerType._zod.values, null]) : undefined;
    });
    inst._zod.parse = (payload, ctx) => {
        // Forward direction (decode): allow null to pass through
        if (payload.value === null)
            return payload;
        return def.innerType._zod.run(payload, ctx);
    };
});
const $ZodDefault = /*@__PURE__*/ $constructor("$ZodDefault", (inst, def) => {
    $ZodType.init(inst, def);
    // inst._zod.qin = "true";
    inst._zod.optin = "defaulted";
    defineLazyInternal(inst, "values", (zod) => zod.def.innerType._zod.values);
    inst._zod.parse = (payload, ctx) => {
        if (ctx.direction === "backward") {
            return def.innerType._zod.run(payload, ctx);
        }
        // Forward direction (decode): apply defaults for undefined input
        if (payload.value === undefined) {
            payload.value = def.defaultValue;
            /**
             * $ZodDefault returns the default value immediately in forward direction.
             * It doesn't pass the default value into the validator ("prefault"). There's no reason to pass the default value through validation. The validity of the default is enforced by TypeScript statically. Otherwise, it's the responsibility of the user to ensure the default is valid. In the case of pipes with divergent in/out types, you can specify the default on the `in` schema of your ZodPipe to set a "prefault" for the pipe.   */
            return payload;
        }
        // Forward direction: continue with default handling
        const result = def.innerType._zod.run(payload, ctx);
        if (result instanceof Promise) {
            return result.then((result) => handleDefaultResult(result, def));
        }
        return handleDefaultResult(result, def);
    };
});
function handleDefaultResult(payload, def) {
    if (payload.value === undefined) {
        payload.value = def.defaultValue;
    }
    return payload;
}
const $ZodPrefault = /*@__PURE__*/ $constructor("$ZodPrefault", (inst, def) => {
    $ZodType.init(inst, def);
    inst._zod.optin = "defaulted";
    defineLazyInternal(inst, "values", (zod) => zod.def.innerType._zod.values);
    inst._zod.parse = (payload, ctx) => {
        if (ctx.direction === "backward") {
            return def.innerType._zod.run(payload, ctx);
        }
        // Forward direction (decode): apply prefault for undefined input
        if (payload.value === undefined) {
            payload.value = def.defaultValue;
        }
        return def.innerType._zod.run(payload, ctx);
    };
});
const $ZodNonOptional = /*@__PURE__*/ $constructor("$ZodNonOptional", (inst, def) => {
    $ZodType.init(inst, def);
    defineLazyInternal(inst, "values", (zod) => {
        const v = zod.def.innerType._zod.values;
        return v ? new Set([...v].filter((x) => x !== undefined)) : undefined;
    });
    inst._zod.parse = (payload, ctx) => {
        const result = def.innerType._zod.run(payload, ctx);
        if (result instanceof Promise) {
            return result.then((result) => handleNonOptionalResult(result, inst));
        }
        return handleNonOptionalResult(result, inst);
    };
});
function handleNonOptionalResult(payload, inst) {
    if (!payload.issues.length && payload.value === undefined) {
        payload.issues.push({
            code: "invalid_type",
            expected: "nonoptional",
            input: payload.value,
            inst,
        });
    }
    return payload;
}
const $ZodSuccess = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("$ZodSuccess", (inst, def) => {
    $ZodType.init(inst, def);
    inst._zod.parse = (payload, ctx) => {
        if (ctx.direction === "backward") {
            throw new core.$ZodEncodeError("ZodSuccess");
        }
        const result = def.innerType._zod.run(payload, ctx);
        if (result instanceof Promise) {
            return result.then((result) => {
                payload.value = result.issues.length === 0;
                return payload;
            });
        }
        payload.value = result.issues.length === 0;
        return payload;
    };
})));
function handleCatchResult(payload, result, def, ctx) {
    if (!result.issues.length) {
        payload.value = result.value;
        // The value carries up, so the flag describing it has to carry with it: a back-edge into a node still being parsed must not be frozen by an enclosing readonly, and its checks belong to the node itself. Guarded so the ordinary case adds no own property.
        if (result.memo)
            payload.memo = true;
        return payload;
    }
    // Spread the inner's own payload, not ours: `value` has to stay the input the catch was handed, and the inner ran on a payload of its own so its issues are already private to this call.
    payload.value = def.catchValue({
        ...result,
        value: payload.value,
        error: {
            issues: result.issues.map((iss) => finalizeIssue(iss, ctx, config())),
        },
        input: payload.value,
    });
    return payload;
}
const $ZodCatch = /*@__PURE__*/ $constructor("$ZodCatch", (inst, def) => {
    $ZodType.init(inst, def);
    defineLazyInternal(inst, "optin", (zod) => zod.def.innerType._zod.optin === "defaulted" ? "defaulted" : "optional");
    defineLazyInternal(inst, "optout", (zod) => zod.def.innerType._zod.optout);
    defineLazyInternal(inst, "values", (zod) => zod.def.innerType._zod.values);
    inst._zod.parse = (payload, ctx) => {
        if (ctx.direction === "backward") {
            return def.innerType._zod.run(payload, ctx);
        }
        // Forward direction (decode): apply catch logic
        const result = def.innerType._zod.run({ value: payload.value, issues: [] }, ctx);
        if (result instanceof Promise) {
            return result.then((result) => handleCatchResult(payload, result, def, ctx));
        }
        return handleCatchResult(payload, result, def, ctx);
    };
});
const $ZodNaN = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("$ZodNaN", (inst, def) => {
    $ZodType.init(inst, def);
    inst._zod.parse = (payload, _ctx) => {
        if (typeof payload.value !== "number" || !Number.isNaN(payload.value)) {
            payload.issues.push({
                input: payload.value,
                inst,
                expected: "nan",
                code: "invalid_type",
            });
            return payload;
        }
        return payload;
    };
})));
const $ZodPipe = /*@__PURE__*/ $constructor("$ZodPipe", (inst, def) => {
    $ZodType.init(inst, def);
    defineLazyInternal(inst, "values", (zod) => zod.def.in._zod.values);
    defineLazyInternal(inst, "optin", (zod) => zod.def.in._zod.optin);
    defineLazyInternal(inst, "optout", (zod) => zod.def.out._zod.optout);
    defineLazyInternal(inst, "propValues", (zod) => zod.def.in._zod.propValues);
    inst._zod.parse = (payload, ctx) => {
        if (ctx.direction === "backward") {
            const right = def.out._zod.run(payload, ctx);
            if (right instanceof Promise) {
                return right.then((right) => handlePipeResult(right, def.in, ctx));
            }
            return handlePipeResult(right, def.in, ctx);
        }
        const left = def.in._zod.run(payload, ctx);
        if (left instanceof Promise) {
            return left.then((left) => handlePipeResult(left, def.out, ctx));
        }
        return handlePipeResult(left, def.out, ctx);
    };
});
function handlePipeResult(left, next, ctx) {
    // Any issue stops the pipe, so a failing refinement never feeds its transform. An unrecognized key is the exception: it describes the input's extra properties, not the value being piped, and an enclosing intersection may yet reconcile it.
    if (left.issues.some((iss) => iss.code !== "unrecognized_keys")) {
        // prevent further checks
        left.aborted = true;
        return left;
    }
    return next._zod.run({ value: left.value, issues: left.issues }, ctx);
}
const $ZodCodec = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("$ZodCodec", (inst, def) => {
    $ZodType.init(inst, def);
    util.defineLazyInternal(inst, "values", (zod) => zod.def.in._zod.values);
    util.defineLazyInternal(inst, "optin", (zod) => zod.def.in._zod.optin);
    util.defineLazyInternal(inst, "optout", (zod) => zod.def.out._zod.optout);
    util.defineLazyInternal(inst, "propValues", (zod) => zod.def.in._zod.propValues);
    inst._zod.parse = (payload, ctx) => {
        const direction = ctx.direction || "forward";
        if (direction === "forward") {
            const left = def.in._zod.run(payload, ctx);
            if (left instanceof Promise) {
                return left.then((left) => handleCodecAResult(left, def, ctx));
            }
            return handleCodecAResult(left, def, ctx);
        }
        else {
            const right = def.out._zod.run(payload, ctx);
            if (right instanceof Promise) {
                return right.then((right) => handleCodecAResult(right, def, ctx));
            }
            return handleCodecAResult(right, def, ctx);
        }
    };
})));
function handleCodecAResult(result, def, ctx) {
    if (result.issues.length) {
        // prevent further checks
        result.aborted = true;
        return result;
    }
    const direction = ctx.direction || "forward";
    if (direction === "forward") {
        const transformed = def.transform(result.value, result);
        if (transformed instanceof Promise) {
            return transformed.then((value) => handleCodecTxResult(result, value, def.out, ctx));
        }
        return handleCodecTxResult(result, transformed, def.out, ctx);
    }
    else {
        const transformed = def.reverseTransform(result.value, result);
        if (transformed instanceof Promise) {
            return transformed.then((value) => handleCodecTxResult(result, value, def.in, ctx));
        }
        return handleCodecTxResult(result, transformed, def.in, ctx);
    }
}
function handleCodecTxResult(left, value, nextSchema, ctx) {
    // Check if transform added any issues
    if (left.issues.length) {
        left.aborted = true;
        return left;
    }
    return nextSchema._zod.run({ value, issues: left.issues }, ctx);
}
const $ZodPreprocess = /*@__PURE__*/ $constructor("$ZodPreprocess", (inst, def) => {
    $ZodPipe.init(inst, def);
});
const $ZodReadonly = /*@__PURE__*/ $constructor("$ZodReadonly", (inst, def) => {
    $ZodType.init(inst, def);
    defineLazyInternal(inst, "propValues", (zod) => zod.def.innerType._zod.propValues);
    defineLazyInternal(inst, "values", (zod) => zod.def.innerType._zod.values);
    defineLazyInternal(inst, "optin", (zod) => zod.def.innerType?._zod?.optin);
    defineLazyInternal(inst, "optout", (zod) => zod.def.innerType?._zod?.optout);
    inst._zod.parse = (payload, ctx) => {
        if (ctx.direction === "backward") {
            return def.innerType._zod.run(payload, ctx);
        }
        const result = def.innerType._zod.run(payload, ctx);
        if (result instanceof Promise) {
            return result.then(handleReadonlyResult);
        }
        return handleReadonlyResult(result);
    };
});
function handleReadonlyResult(payload) {
    // A repeat visit hands back a node that is still being built; freezing it here would make the rest of its keys fail to assign.
    if (!payload.memo)
        payload.value = Object.freeze(payload.value);
    return payload;
}
// a leaf's pattern source with its own checks folded in: the last pattern-carrying check wins, else length bounds narrow the catch-all, else an integer format narrows the number form. the fold lives here instead of on `_zod.pattern` so a bundle without template literals never pays for it
function leafPattern(schema) {
    const def = schema._zod.def;
    let pattern = def.pattern;
    let isInt = !!def.format?.includes("int");
    let minimum;
    let maximum;
    for (const ch of def.checks ?? []) {
        const d = ch._zod.def;
        if (d.pattern)
            pattern = d.pattern;
        isInt || (isInt = !!d.format?.includes("int"));
        const lo = d.minimum ?? d.length;
        const hi = d.maximum ?? d.length;
        if (lo !== undefined && (minimum === undefined || lo > minimum))
            minimum = lo;
        if (hi !== undefined && (maximum === undefined || hi < maximum))
            maximum = hi;
    }
    if (pattern)
        return pattern.source;
    // an empty range matches nothing at runtime, and `{8,5}` is not a legal quantifier
    if (minimum !== undefined && maximum !== undefined && minimum > maximum)
        return "(?!)";
    if (minimum !== undefined || maximum !== undefined)
        return regexes.string({ minimum, maximum }).source;
    const own = schema._zod.pattern;
    return (isInt && own === regexes.number ? regexes.integer : own)?.source;
}
// a part's pattern source. a wrapper's pattern embeds its inner pattern's source verbatim, so the folded form is substituted in place without knowing the wrapper's own composition; a union's options are joined the way the union builds its own pattern
function partPattern(schema) {
    const def = schema._zod.def;
    const own = schema._zod.pattern?.source;
    // lazy resolves its inner on the internals, not the def
    const inner = def.innerType ?? schema._zod.innerType;
    if (inner) {
        const before = inner._zod.pattern?.source;
        const after = partPattern(inner);
        if (own && before && after && after !== before) {
            return own.replace(util.cleanRegex(before), () => util.cleanRegex(after));
        }
        return own;
    }
    if (def.options) {
        const sources = def.options.map(partPattern);
        if (sources.every(Boolean))
            return `^(${sources.map((s) => util.cleanRegex(s)).join("|")})$`;
    }
    return leafPattern(schema);
}
const $ZodTemplateLiteral = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("$ZodTemplateLiteral", (inst, def) => {
    $ZodType.init(inst, def);
    const regexParts = [];
    for (const part of def.parts) {
        if (typeof part === "object" && part !== null) {
            // is Zod schema
            const source = partPattern(part);
            if (!source) {
                throw new Error(`Invalid template literal part, no pattern found: ${[...part._zod.traits].shift()}`);
            }
            regexParts.push(util.cleanRegex(source));
        }
        else if (part === null || util.primitiveTypes.has(typeof part)) {
            regexParts.push(util.escapeRegex(`${part}`));
        }
        else {
            throw new Error(`Invalid template literal part: ${part}`);
        }
    }
    inst._zod.pattern = new RegExp(`^${regexParts.join("")}$`);
    inst._zod.parse = (payload, _ctx) => {
        if (typeof payload.value !== "string") {
            payload.issues.push({
                input: payload.value,
                inst,
                expected: "string",
                code: "invalid_type",
            });
            return payload;
        }
        inst._zod.pattern.lastIndex = 0;
        if (!inst._zod.pattern.test(payload.value)) {
            payload.issues.push({
                input: payload.value,
                inst,
                code: "invalid_format",
                format: def.format ?? "template_literal",
                pattern: inst._zod.pattern.source,
            });
            return payload;
        }
        return payload;
    };
})));
const $ZodFunction = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("$ZodFunction", (inst, def) => {
    $ZodType.init(inst, def);
    // Defined, not assigned: the classic prototype exposes `_def` as a getter with no setter.
    Object.defineProperty(inst, "_def", { value: def });
    inst._zod.def = def;
    inst.implement = (func) => {
        if (typeof func !== "function") {
            throw new Error("implement() must be called with a function");
        }
        // Defined inline so the closure stays anonymous: binding it to a `const` first names it, which costs 256 bytes per implemented function.
        return Object.defineProperty(function (...args) {
            const parsedArgs = inst._def.input ? parse(inst._def.input, args) : args;
            const result = Reflect.apply(func, this, parsedArgs);
            if (inst._def.output) {
                return parse(inst._def.output, result);
            }
            return result;
        }, "_zod", { value: inst._zod, enumerable: false });
    };
    inst.implementAsync = (func) => {
        if (typeof func !== "function") {
            throw new Error("implementAsync() must be called with a function");
        }
        return Object.defineProperty(async function (...args) {
            const parsedArgs = inst._def.input ? await parseAsync(inst._def.input, args) : args;
            const result = await Reflect.apply(func, this, parsedArgs);
            if (inst._def.output) {
                return await parseAsync(inst._def.output, result);
            }
            return result;
        }, "_zod", { value: inst._zod, enumerable: false });
    };
    inst._zod.parse = (payload, _ctx) => {
        if (typeof payload.value !== "function") {
            payload.issues.push({
                code: "invalid_type",
                expected: "function",
                input: payload.value,
                inst,
            });
            return payload;
        }
        // Check if output is a promise type to determine if we should use async implementation
        const hasPromiseOutput = inst._def.output && inst._def.output._zod.def.type === "promise";
        if (hasPromiseOutput) {
            payload.value = inst.implementAsync(payload.value);
        }
        else {
            payload.value = inst.implement(payload.value);
        }
        return payload;
    };
    inst.input = (...args) => {
        const F = inst.constructor;
        if (Array.isArray(args[0])) {
            return new F({
                type: "function",
                input: new $ZodTuple({
                    type: "tuple",
                    items: args[0],
                    rest: args[1],
                }),
                output: inst._def.output,
            });
        }
        return new F({
            type: "function",
            input: args[0],
            output: inst._def.output,
        });
    };
    inst.output = (output) => {
        const F = inst.constructor;
        return new F({
            type: "function",
            input: inst._def.input,
            output,
        });
    };
    return inst;
})));
const $ZodPromise = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("$ZodPromise", (inst, def) => {
    $ZodType.init(inst, def);
    inst._zod.parse = (payload, ctx) => {
        return Promise.resolve(payload.value).then((inner) => def.innerType._zod.run({ value: inner, issues: [] }, ctx));
    };
})));
const $ZodLazy = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("$ZodLazy", (inst, def) => {
    $ZodType.init(inst, def);
    // Cache the resolved inner type on the shared `def` so all clones of this lazy (e.g. via `.describe()`/`.meta()`) share the same inner instance, preserving identity for cycle detection on recursive schemas.
    util.defineLazy(inst._zod, "innerType", () => {
        const d = def;
        if (!d._cachedInner)
            d._cachedInner = def.getter();
        return d._cachedInner;
    });
    util.defineLazyInternal(inst, "pattern", (zod) => zod.innerType?._zod?.pattern);
    util.defineLazyInternal(inst, "propValues", (zod) => zod.innerType?._zod?.propValues);
    util.defineLazyInternal(inst, "optin", (zod) => zod.innerType?._zod?.optin ?? undefined);
    util.defineLazyInternal(inst, "optout", (zod) => zod.innerType?._zod?.optout ?? undefined);
    inst._zod.parse = (payload, ctx) => {
        const inner = inst._zod.innerType;
        return inner._zod.run(payload, ctx);
    };
})));
const $ZodCustom = /*@__PURE__*/ $constructor("$ZodCustom", (inst, def) => {
    $ZodCheck.init(inst, def);
    $ZodType.init(inst, def);
    inst._zod.parse = (payload, _) => {
        return payload;
    };
    inst._zod.check = (payload) => {
        const input = payload.value;
        const r = def.fn(input);
        if (r instanceof Promise) {
            return r.then((r) => handleRefineResult(r, payload, input, inst));
        }
        handleRefineResult(r, payload, input, inst);
        return;
    };
});
function handleRefineResult(result, payload, input, inst) {
    if (!result) {
        const _iss = {
            code: "custom",
            input,
            inst, // incorporates params.error into issue reporting
            path: [...(inst._zod.def.path ?? [])], // incorporates params.error into issue reporting
            continue: !inst._zod.def.abort,
            // params: inst._zod.def.params,
        };
        if (inst._zod.def.params)
            _iss.params = inst._zod.def.params;
        payload.issues.push(util_issue(_iss));
    }
}

;// CONCATENATED MODULE: ./node_modules/zod/v4/core/registries.js
var registries_a;
const $output = /*@__PURE__*/ (/* unused pure expression or super */ null && (Symbol("ZodOutput")));
const $input = /*@__PURE__*/ (/* unused pure expression or super */ null && (Symbol("ZodInput")));
class $ZodRegistry {
    constructor() {
        this._map = new WeakMap();
        this._idmap = new Map();
    }
    add(schema, ..._meta) {
        const meta = _meta[0];
        this._map.set(schema, meta);
        if (meta && typeof meta === "object" && "id" in meta) {
            this._idmap.set(meta.id, schema);
        }
        return this;
    }
    clear() {
        this._map = new WeakMap();
        this._idmap = new Map();
        return this;
    }
    remove(schema) {
        const meta = this._map.get(schema);
        if (meta && typeof meta === "object" && "id" in meta) {
            this._idmap.delete(meta.id);
        }
        this._map.delete(schema);
        return this;
    }
    get(schema) {
        // return this._map.get(schema) as any;
        // inherit metadata
        const p = schema._zod.parent;
        if (p) {
            const pm = { ...(this.get(p) ?? {}) };
            delete pm.id; // do not inherit id
            const f = { ...pm, ...this._map.get(schema) };
            return Object.keys(f).length ? f : undefined;
        }
        return this._map.get(schema);
    }
    has(schema) {
        return this._map.has(schema);
    }
}
// registries
function registry() {
    return new $ZodRegistry();
}
(registries_a = globalThis).__zod_globalRegistry ?? (registries_a.__zod_globalRegistry = registry());
const globalRegistry = globalThis.__zod_globalRegistry;

;// CONCATENATED MODULE: ./node_modules/zod/v4/core/api.js




function snapshotChecks(def) {
    if (def.checks)
        def.checks = [...def.checks];
    return def;
}
// @__NO_SIDE_EFFECTS__
function _string(Class, params) {
    return new Class(snapshotChecks({ type: "string", ...normalizeParams(params) }));
}
// @__NO_SIDE_EFFECTS__
function _coercedString(Class, params) {
    return new Class(snapshotChecks({ type: "string", coerce: true, ...util.normalizeParams(params) }));
}
// @__NO_SIDE_EFFECTS__
function _email(Class, params) {
    return new Class({
        type: "string",
        format: "email",
        check: "string_format",
        abort: false,
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _guid(Class, params) {
    return new Class({
        type: "string",
        format: "guid",
        check: "string_format",
        abort: false,
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _uuid(Class, params) {
    return new Class({
        type: "string",
        format: "uuid",
        check: "string_format",
        abort: false,
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _uuidv4(Class, params) {
    return new Class({
        type: "string",
        format: "uuid",
        check: "string_format",
        abort: false,
        version: "v4",
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _uuidv6(Class, params) {
    return new Class({
        type: "string",
        format: "uuid",
        check: "string_format",
        abort: false,
        version: "v6",
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _uuidv7(Class, params) {
    return new Class({
        type: "string",
        format: "uuid",
        check: "string_format",
        abort: false,
        version: "v7",
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _url(Class, params) {
    return new Class({
        type: "string",
        format: "url",
        check: "string_format",
        abort: false,
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function api_emoji(Class, params) {
    return new Class({
        type: "string",
        format: "emoji",
        check: "string_format",
        abort: false,
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _nanoid(Class, params) {
    return new Class({
        type: "string",
        format: "nanoid",
        check: "string_format",
        abort: false,
        ...normalizeParams(params),
    });
}
/**
 * @deprecated CUID v1 is deprecated by its authors due to information leakage
 * (timestamps embedded in the id). Use {@link _cuid2} instead.
 * See https://github.com/paralleldrive/cuid.
 */
// @__NO_SIDE_EFFECTS__
function _cuid(Class, params) {
    return new Class({
        type: "string",
        format: "cuid",
        check: "string_format",
        abort: false,
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _cuid2(Class, params) {
    return new Class({
        type: "string",
        format: "cuid2",
        check: "string_format",
        abort: false,
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _ulid(Class, params) {
    return new Class({
        type: "string",
        format: "ulid",
        check: "string_format",
        abort: false,
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _xid(Class, params) {
    return new Class({
        type: "string",
        format: "xid",
        check: "string_format",
        abort: false,
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _ksuid(Class, params) {
    return new Class({
        type: "string",
        format: "ksuid",
        check: "string_format",
        abort: false,
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _ipv4(Class, params) {
    return new Class({
        type: "string",
        format: "ipv4",
        check: "string_format",
        abort: false,
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _ipv6(Class, params) {
    return new Class({
        type: "string",
        format: "ipv6",
        check: "string_format",
        abort: false,
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _mac(Class, params) {
    return new Class({
        type: "string",
        format: "mac",
        check: "string_format",
        abort: false,
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _cidrv4(Class, params) {
    return new Class({
        type: "string",
        format: "cidrv4",
        check: "string_format",
        abort: false,
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _cidrv6(Class, params) {
    return new Class({
        type: "string",
        format: "cidrv6",
        check: "string_format",
        abort: false,
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _base64(Class, params) {
    return new Class({
        type: "string",
        format: "base64",
        check: "string_format",
        abort: false,
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _base64url(Class, params) {
    return new Class({
        type: "string",
        format: "base64url",
        check: "string_format",
        abort: false,
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _e164(Class, params) {
    return new Class({
        type: "string",
        format: "e164",
        check: "string_format",
        abort: false,
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _creditCard(Class, params) {
    return new Class({
        type: "string",
        format: "credit_card",
        check: "string_format",
        abort: false,
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _iban(Class, params) {
    return new Class({
        type: "string",
        format: "iban",
        check: "string_format",
        abort: false,
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _jwt(Class, params) {
    return new Class({
        type: "string",
        format: "jwt",
        check: "string_format",
        abort: false,
        ...normalizeParams(params),
    });
}
const TimePrecision = {
    Any: null,
    Minute: -1,
    Second: 0,
    Millisecond: 3,
    Microsecond: 6,
};
// @__NO_SIDE_EFFECTS__
function _isoDateTime(Class, params) {
    return new Class({
        type: "string",
        format: "datetime",
        check: "string_format",
        offset: false,
        local: false,
        precision: null,
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _isoDate(Class, params) {
    return new Class({
        type: "string",
        format: "date",
        check: "string_format",
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _isoTime(Class, params) {
    return new Class({
        type: "string",
        format: "time",
        check: "string_format",
        precision: null,
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _isoDuration(Class, params) {
    return new Class({
        type: "string",
        format: "duration",
        check: "string_format",
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _number(Class, params) {
    return new Class(snapshotChecks({ type: "number", checks: [], ...normalizeParams(params) }));
}
// @__NO_SIDE_EFFECTS__
function _coercedNumber(Class, params) {
    return new Class(snapshotChecks({ type: "number", coerce: true, checks: [], ...normalizeParams(params) }));
}
// @__NO_SIDE_EFFECTS__
function _int(Class, params) {
    return new Class({
        type: "number",
        check: "number_format",
        abort: false,
        format: "safeint",
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _float32(Class, params) {
    return new Class({
        type: "number",
        check: "number_format",
        abort: false,
        format: "float32",
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _float64(Class, params) {
    return new Class({
        type: "number",
        check: "number_format",
        abort: false,
        format: "float64",
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _int32(Class, params) {
    return new Class({
        type: "number",
        check: "number_format",
        abort: false,
        format: "int32",
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _uint32(Class, params) {
    return new Class({
        type: "number",
        check: "number_format",
        abort: false,
        format: "uint32",
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _boolean(Class, params) {
    return new Class({
        type: "boolean",
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _coercedBoolean(Class, params) {
    return new Class({
        type: "boolean",
        coerce: true,
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _bigint(Class, params) {
    return new Class({
        type: "bigint",
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _coercedBigint(Class, params) {
    return new Class({
        type: "bigint",
        coerce: true,
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _int64(Class, params) {
    return new Class({
        type: "bigint",
        check: "bigint_format",
        abort: false,
        format: "int64",
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _uint64(Class, params) {
    return new Class({
        type: "bigint",
        check: "bigint_format",
        abort: false,
        format: "uint64",
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _symbol(Class, params) {
    return new Class({
        type: "symbol",
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function api_undefined(Class, params) {
    return new Class({
        type: "undefined",
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function api_null(Class, params) {
    return new Class({
        type: "null",
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _any(Class) {
    return new Class({
        type: "any",
    });
}
// @__NO_SIDE_EFFECTS__
function _unknown(Class) {
    return new Class({
        type: "unknown",
    });
}
// @__NO_SIDE_EFFECTS__
function _never(Class, params) {
    return new Class({
        type: "never",
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _void(Class, params) {
    return new Class({
        type: "void",
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _date(Class, params) {
    return new Class({
        type: "date",
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _coercedDate(Class, params) {
    return new Class({
        type: "date",
        coerce: true,
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _nan(Class, params) {
    return new Class({
        type: "nan",
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _lt(value, params) {
    return new $ZodCheckLessThan({
        check: "less_than",
        ...normalizeParams(params),
        value,
        inclusive: false,
    });
}
// @__NO_SIDE_EFFECTS__
function _lte(value, params) {
    return new $ZodCheckLessThan({
        check: "less_than",
        ...normalizeParams(params),
        value,
        inclusive: true,
    });
}

// @__NO_SIDE_EFFECTS__
function _gt(value, params) {
    return new $ZodCheckGreaterThan({
        check: "greater_than",
        ...normalizeParams(params),
        value,
        inclusive: false,
    });
}
// @__NO_SIDE_EFFECTS__
function _gte(value, params) {
    return new $ZodCheckGreaterThan({
        check: "greater_than",
        ...normalizeParams(params),
        value,
        inclusive: true,
    });
}

// @__NO_SIDE_EFFECTS__
function _positive(params) {
    return _gt(0, params);
}
// negative
// @__NO_SIDE_EFFECTS__
function _negative(params) {
    return _lt(0, params);
}
// nonpositive
// @__NO_SIDE_EFFECTS__
function _nonpositive(params) {
    return _lte(0, params);
}
// nonnegative
// @__NO_SIDE_EFFECTS__
function _nonnegative(params) {
    return _gte(0, params);
}
// @__NO_SIDE_EFFECTS__
function _multipleOf(value, params) {
    return new $ZodCheckMultipleOf({
        check: "multiple_of",
        ...normalizeParams(params),
        value,
    });
}
// @__NO_SIDE_EFFECTS__
function _maxSize(maximum, params) {
    return new checks.$ZodCheckMaxSize({
        check: "max_size",
        ...util.normalizeParams(params),
        maximum,
    });
}
// @__NO_SIDE_EFFECTS__
function _minSize(minimum, params) {
    return new checks.$ZodCheckMinSize({
        check: "min_size",
        ...util.normalizeParams(params),
        minimum,
    });
}
// @__NO_SIDE_EFFECTS__
function _size(size, params) {
    return new checks.$ZodCheckSizeEquals({
        check: "size_equals",
        ...util.normalizeParams(params),
        size,
    });
}
// @__NO_SIDE_EFFECTS__
function _maxLength(maximum, params) {
    const ch = new $ZodCheckMaxLength({
        check: "max_length",
        ...normalizeParams(params),
        maximum,
    });
    return ch;
}
// @__NO_SIDE_EFFECTS__
function _minLength(minimum, params) {
    return new $ZodCheckMinLength({
        check: "min_length",
        ...normalizeParams(params),
        minimum,
    });
}
// @__NO_SIDE_EFFECTS__
function _length(length, params) {
    return new $ZodCheckLengthEquals({
        check: "length_equals",
        ...normalizeParams(params),
        length,
    });
}
// @__NO_SIDE_EFFECTS__
function _regex(pattern, params) {
    return new $ZodCheckRegex({
        check: "string_format",
        format: "regex",
        ...normalizeParams(params),
        pattern,
    });
}
// @__NO_SIDE_EFFECTS__
function _lowercase(params) {
    return new $ZodCheckLowerCase({
        check: "string_format",
        format: "lowercase",
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _uppercase(params) {
    return new $ZodCheckUpperCase({
        check: "string_format",
        format: "uppercase",
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _includes(includes, params) {
    return new $ZodCheckIncludes({
        check: "string_format",
        format: "includes",
        ...normalizeParams(params),
        includes,
    });
}
// @__NO_SIDE_EFFECTS__
function _startsWith(prefix, params) {
    return new $ZodCheckStartsWith({
        check: "string_format",
        format: "starts_with",
        ...normalizeParams(params),
        prefix,
    });
}
// @__NO_SIDE_EFFECTS__
function _endsWith(suffix, params) {
    return new $ZodCheckEndsWith({
        check: "string_format",
        format: "ends_with",
        ...normalizeParams(params),
        suffix,
    });
}
// @__NO_SIDE_EFFECTS__
function _property(property, schema, params) {
    return new checks.$ZodCheckProperty({
        check: "property",
        property,
        schema,
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _properties(shape, params) {
    return new $ZodCheckProperties({
        check: "properties",
        shape,
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _mime(types, params) {
    return new checks.$ZodCheckMimeType({
        check: "mime_type",
        mime: types,
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _overwrite(tx) {
    return new $ZodCheckOverwrite({
        check: "overwrite",
        tx,
    });
}
// normalize
// @__NO_SIDE_EFFECTS__
function _normalize(form) {
    return _overwrite((input) => input.normalize(form));
}
// trim
// @__NO_SIDE_EFFECTS__
function _trim() {
    return _overwrite((input) => input.trim());
}
// toLowerCase
// @__NO_SIDE_EFFECTS__
function _toLowerCase() {
    return _overwrite((input) => input.toLowerCase());
}
// toUpperCase
// @__NO_SIDE_EFFECTS__
function _toUpperCase() {
    return _overwrite((input) => input.toUpperCase());
}
// slugify
// @__NO_SIDE_EFFECTS__
function _slugify() {
    return _overwrite((input) => slugify(input));
}
// @__NO_SIDE_EFFECTS__
function _array(Class, element, params) {
    return new Class({
        type: "array",
        element,
        // get element() {
        //   return element;
        // },
        ...normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _union(Class, options, params) {
    return new Class({
        type: "union",
        options,
        ...util.normalizeParams(params),
    });
}
function _xor(Class, options, params) {
    return new Class({
        type: "union",
        options,
        inclusive: false,
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _discriminatedUnion(Class, discriminator, options, params) {
    return new Class({
        type: "union",
        options: options,
        discriminator,
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _intersection(Class, left, right) {
    return new Class({
        type: "intersection",
        left,
        right,
    });
}
// export function _tuple(
//   Class: util.SchemaClass<schemas.$ZodTuple>,
//   items: [],
//   params?: string | $ZodTupleParams
// ): schemas.$ZodTuple<[], null>;
// @__NO_SIDE_EFFECTS__
function _tuple(Class, items, _paramsOrRest, _params) {
    const hasRest = _paramsOrRest instanceof schemas.$ZodType;
    const params = hasRest ? _params : _paramsOrRest;
    const rest = hasRest ? _paramsOrRest : null;
    return new Class({
        type: "tuple",
        items,
        rest,
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _record(Class, keyType, valueType, params) {
    return new Class({
        type: "record",
        keyType,
        valueType,
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _map(Class, keyType, valueType, params) {
    return new Class({
        type: "map",
        keyType,
        valueType,
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _set(Class, valueType, params) {
    return new Class({
        type: "set",
        valueType,
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _enum(Class, values, params) {
    const entries = Array.isArray(values) ? Object.fromEntries(values.map((v) => [v, v])) : values;
    // if (Array.isArray(values)) {
    //   for (const value of values) {
    //     entries[value] = value;
    //   }
    // } else {
    //   Object.assign(entries, values);
    // }
    // const entries: util.EnumLike = {};
    // for (const val of values) {
    //   entries[val] = val;
    // }
    return new Class({
        type: "enum",
        entries,
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
/** @deprecated This API has been merged into `z.enum()`. Use `z.enum()` instead.
 *
 * ```ts
 * enum Colors { red, green, blue }
 * z.enum(Colors);
 * ```
 */
function _nativeEnum(Class, entries, params) {
    return new Class({
        type: "enum",
        entries,
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _literal(Class, value, params) {
    return new Class({
        type: "literal",
        values: Array.isArray(value) ? value : [value],
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _file(Class, params) {
    return new Class({
        type: "file",
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _transform(Class, fn) {
    return new Class({
        type: "transform",
        transform: fn,
    });
}
// @__NO_SIDE_EFFECTS__
function _optional(Class, innerType) {
    return new Class({
        type: "optional",
        innerType,
    });
}
// @__NO_SIDE_EFFECTS__
function _nullable(Class, innerType) {
    return new Class({
        type: "nullable",
        innerType,
    });
}
// @__NO_SIDE_EFFECTS__
function _default(Class, innerType, defaultValue) {
    return new Class({
        type: "default",
        innerType,
        get defaultValue() {
            return typeof defaultValue === "function" ? defaultValue() : util.shallowClone(defaultValue);
        },
    });
}
// @__NO_SIDE_EFFECTS__
function _nonoptional(Class, innerType, params) {
    return new Class({
        type: "nonoptional",
        innerType,
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _success(Class, innerType) {
    return new Class({
        type: "success",
        innerType,
    });
}
// @__NO_SIDE_EFFECTS__
function _catch(Class, innerType, catchValue) {
    return new Class({
        type: "catch",
        innerType,
        catchValue: (typeof catchValue === "function" ? catchValue : util.constantCatch(catchValue)),
    });
}
// @__NO_SIDE_EFFECTS__
function _pipe(Class, in_, out) {
    return new Class({
        type: "pipe",
        in: in_,
        out,
    });
}
// @__NO_SIDE_EFFECTS__
function _readonly(Class, innerType) {
    return new Class({
        type: "readonly",
        innerType,
    });
}
// @__NO_SIDE_EFFECTS__
function _templateLiteral(Class, parts, params) {
    return new Class({
        type: "template_literal",
        parts,
        ...util.normalizeParams(params),
    });
}
// @__NO_SIDE_EFFECTS__
function _lazy(Class, getter) {
    return new Class({
        type: "lazy",
        getter,
    });
}
// @__NO_SIDE_EFFECTS__
function _promise(Class, innerType) {
    return new Class({
        type: "promise",
        innerType,
    });
}
// @__NO_SIDE_EFFECTS__
function _custom(Class, fn, _params) {
    const norm = util.normalizeParams(_params);
    norm.abort ?? (norm.abort = true); // default to abort:false
    const schema = new Class({
        type: "custom",
        check: "custom",
        fn: fn,
        ...norm,
    });
    return schema;
}
// same as _custom but defaults to abort:false
// @__NO_SIDE_EFFECTS__
function _refine(Class, fn, _params) {
    const schema = new Class({
        type: "custom",
        check: "custom",
        fn: fn,
        ...normalizeParams(_params),
    });
    return schema;
}
// @__NO_SIDE_EFFECTS__
function _superRefine(fn, params) {
    const ch = _check((payload) => {
        payload.addIssue = (issue) => {
            if (typeof issue === "string") {
                payload.issues.push(util_issue(issue, payload.value, ch._zod.def));
            }
            else {
                // for Zod 3 backwards compatibility
                const _issue = issue;
                if (_issue.fatal)
                    _issue.continue = false;
                _issue.code ?? (_issue.code = "custom");
                if (!("input" in _issue))
                    _issue.input = payload.value;
                _issue.inst ?? (_issue.inst = ch);
                _issue.continue ?? (_issue.continue = !ch._zod.def.abort); // abort is always undefined, so this is always true...
                payload.issues.push(util_issue(_issue));
            }
        };
        return fn(payload.value, payload);
    }, params);
    return ch;
}
// @__NO_SIDE_EFFECTS__
function _check(fn, params) {
    const ch = new $ZodCheck({
        check: "custom",
        ...normalizeParams(params),
    });
    ch._zod.check = fn;
    return ch;
}
// @__NO_SIDE_EFFECTS__
function describe(description) {
    const ch = new $ZodCheck({ check: "describe" });
    ch._zod.onattach = [
        (inst) => {
            const existing = globalRegistry.get(inst) ?? {};
            globalRegistry.add(inst, { ...existing, description });
        },
    ];
    ch._zod.check = () => { }; // no-op check
    return ch;
}
// @__NO_SIDE_EFFECTS__
function meta(metadata) {
    const ch = new $ZodCheck({ check: "meta" });
    ch._zod.onattach = [
        (inst) => {
            const existing = globalRegistry.get(inst) ?? {};
            globalRegistry.add(inst, { ...existing, ...metadata });
        },
    ];
    ch._zod.check = () => { }; // no-op check
    return ch;
}
// @__NO_SIDE_EFFECTS__
function _stringbool(Classes, _params) {
    const params = util.normalizeParams(_params);
    let truthyArray = params.truthy ?? ["true", "1", "yes", "on", "y", "enabled"];
    let falsyArray = params.falsy ?? ["false", "0", "no", "off", "n", "disabled"];
    if (params.case !== "sensitive") {
        truthyArray = truthyArray.map((v) => (typeof v === "string" ? v.toLowerCase() : v));
        falsyArray = falsyArray.map((v) => (typeof v === "string" ? v.toLowerCase() : v));
    }
    const truthySet = new Set(truthyArray);
    const falsySet = new Set(falsyArray);
    const _Codec = Classes.Codec ?? schemas.$ZodCodec;
    const _Boolean = Classes.Boolean ?? schemas.$ZodBoolean;
    const _String = Classes.String ?? schemas.$ZodString;
    const stringSchema = new _String({ type: "string", error: params.error });
    const booleanSchema = new _Boolean({ type: "boolean", error: params.error });
    const codec = new _Codec({
        type: "pipe",
        in: stringSchema,
        out: booleanSchema,
        transform: ((input, payload) => {
            let data = input;
            if (params.case !== "sensitive")
                data = data.toLowerCase();
            if (truthySet.has(data)) {
                return true;
            }
            else if (falsySet.has(data)) {
                return false;
            }
            else {
                payload.issues.push({
                    code: "invalid_value",
                    expected: "stringbool",
                    values: [...truthySet, ...falsySet],
                    input: payload.value,
                    inst: codec,
                    continue: false,
                });
                return {};
            }
        }),
        reverseTransform: ((input, _payload) => {
            if (input === true) {
                return truthyArray[0] || "true";
            }
            else {
                return falsyArray[0] || "false";
            }
        }),
        error: params.error,
    });
    codec._zod.bag.truthy = truthyArray;
    codec._zod.bag.falsy = falsyArray;
    codec._zod.bag.case = params.case ?? "insensitive";
    return codec;
}
// @__NO_SIDE_EFFECTS__
function _stringFormat(Class, format, fnOrRegex, _params = {}) {
    const params = util.normalizeParams(_params);
    const def = {
        check: "string_format",
        type: "string",
        format,
        fn: typeof fnOrRegex === "function" ? fnOrRegex : (val) => fnOrRegex.test(val),
        ...params,
    };
    if (fnOrRegex instanceof RegExp) {
        def.pattern = fnOrRegex;
    }
    const inst = new Class(def);
    return inst;
}

;// CONCATENATED MODULE: ./node_modules/zod/v4/core/to-json-schema.js


function assignProps(target, ...sources) {
    for (const source of sources) {
        for (const key of Reflect.ownKeys(source)) {
            if (Object.prototype.propertyIsEnumerable.call(source, key)) {
                util_assignProp(target, key, source[key]);
            }
        }
    }
    return target;
}
// function initializeContext<T extends schemas.$ZodType>(inputs: JSONSchemaGeneratorParams<T>): ToJSONSchemaContext<T> {
//   return {
//     processor: inputs.processor,
//     metadataRegistry: inputs.metadata ?? globalRegistry,
//     target: inputs.target ?? "draft-2020-12",
//     unrepresentable: inputs.unrepresentable ?? "throw",
//   };
// }
function to_json_schema_initializeContext(params) {
    // Normalize target: convert old non-hyphenated versions to hyphenated versions
    let target = params?.target ?? "draft-2020-12";
    if (target === "draft-4")
        target = "draft-04";
    if (target === "draft-7")
        target = "draft-07";
    return {
        processors: params.processors ?? {},
        metadataRegistry: params?.metadata ?? globalRegistry,
        target,
        unrepresentable: params?.unrepresentable ?? "throw",
        override: params?.override ?? (() => { }),
        io: params?.io ?? "output",
        counter: 0,
        seen: new Map(),
        sharedDefsExtractedFor: undefined,
        sharedEmitDoneFor: undefined,
        cycles: params?.cycles ?? "ref",
        reused: params?.reused ?? "inline",
        intersections: [],
        deferred: [],
        external: params?.external ?? undefined,
    };
}
/**
 * Applies the `unrepresentable` setting at a site that has no JSON Schema equivalent. Throws
 * `message` unless the setting (or the handler's return value) says otherwise. Returns `true` if a
 * custom JSON Schema was written into `json`, in which case the caller must not write its own.
 */
function handleUnrepresentable(schema, ctx, json, params, message) {
    const result = typeof ctx.unrepresentable === "function"
        ? ctx.unrepresentable({ zodSchema: schema, path: params.path, message })
        : ctx.unrepresentable;
    if (result === "any")
        return false;
    if (result === undefined || result === "throw")
        throw new Error(message);
    Object.assign(json, result);
    return true;
}
// never rename this back to `process`: bundler polyfills inject a top-level `const process` that a lexical declaration of the same name collides with (#6397)
function to_json_schema_processSchema(schema, ctx, _params = { path: [], schemaPath: [] }) {
    var _a;
    const def = schema._zod.def;
    // check for schema in seens
    const seen = ctx.seen.get(schema);
    if (seen) {
        seen.count++;
        // check if cycle
        const isCycle = _params.schemaPath.includes(schema);
        if (isCycle) {
            seen.cycle = _params.path;
        }
        return seen.schema;
    }
    // initialize
    const result = { schema: {}, count: 1, cycle: undefined, path: _params.path };
    ctx.seen.set(schema, result);
    ctx.sharedDefsExtractedFor = undefined;
    ctx.sharedEmitDoneFor = undefined;
    // custom method overrides default behavior
    const overrideSchema = schema._zod.toJSONSchema?.();
    if (overrideSchema) {
        result.schema = overrideSchema;
    }
    else {
        const params = {
            ..._params,
            schemaPath: [..._params.schemaPath, schema],
            path: _params.path,
        };
        if (schema._zod.processJSONSchema) {
            schema._zod.processJSONSchema(ctx, result.schema, params);
        }
        else {
            const _json = result.schema;
            const processor = ctx.processors[def.type];
            if (!processor) {
                throw new Error(`[toJSONSchema]: Non-representable type encountered: ${def.type}`);
            }
            processor(schema, ctx, _json, params);
        }
        const parent = schema._zod.parent;
        if (parent) {
            // Also set ref if processor didn't (for inheritance)
            if (!result.ref)
                result.ref = parent;
            to_json_schema_processSchema(parent, ctx, params);
            ctx.seen.get(parent).isParent = true;
        }
    }
    // metadata
    const meta = ctx.metadataRegistry.get(schema);
    if (meta)
        assignProps(result.schema, meta);
    if (ctx.io === "input" && isTransforming(schema)) {
        // examples/defaults only apply to output type of pipe
        delete result.schema.examples;
        delete result.schema.default;
    }
    // set prefault as default
    if (ctx.io === "input" && "_prefault" in result.schema)
        (_a = result.schema).default ?? (_a.default = result.schema._prefault);
    delete result.schema._prefault;
    // pulling fresh from ctx.seen in case it was overwritten
    const _result = ctx.seen.get(schema);
    return _result.schema;
}
/** @deprecated Renamed to `processSchema`. An export alias declares no binding, so it is safe to keep. */

// Escape a reference token for use in a JSON Pointer fragment (RFC 6901): `~` becomes `~0` and `/` becomes `~1`. The `~` replacement must run first.
function encodeJSONPointerSegment(segment) {
    return segment.replace(/~/g, "~0").replace(/\//g, "~1");
}
function to_json_schema_extractDefs(ctx, schema
// params: EmitParams
) {
    // iterate over seen map;
    const root = ctx.seen.get(schema);
    if (!root)
        throw new Error("Unprocessed schema. This is a bug in Zod.");
    // With `external` set, every registered schema resolves through the external branch of `makeURI`, so the root branch below produces the same ref the external branch would — this pass is identical whichever schema it is called with, and only needs to run once.
    if (ctx.external && ctx.sharedDefsExtractedFor === ctx.external)
        return;
    // Track ids to detect duplicates across different schemas
    const idToSchema = new Map();
    for (const entry of ctx.seen.entries()) {
        const id = ctx.metadataRegistry.get(entry[0])?.id;
        if (id) {
            const existing = idToSchema.get(id);
            if (existing && existing !== entry[0]) {
                throw new Error(`Duplicate schema id "${id}" detected during JSON Schema conversion. Two different schemas cannot share the same id when converted together.`);
            }
            idToSchema.set(id, entry[0]);
        }
    }
    // returns a ref to the schema defId will be empty if the ref points to an external schema (or #)
    const makeURI = (entry) => {
        // comparing the seen objects because sometimes multiple schemas map to the same seen object. e.g. lazy
        // external is configured
        const defsSegment = ctx.target === "draft-2020-12" ? "$defs" : "definitions";
        if (ctx.external) {
            const externalId = ctx.external.registry.get(entry[0])?.id; // ?? "__shared";// `__schema${ctx.counter++}`;
            // check if schema is in the external registry
            const uriGenerator = ctx.external.uri ?? ((id) => id);
            if (externalId) {
                return { ref: uriGenerator(externalId) };
            }
            // otherwise, add to __shared
            const id = entry[1].defId ?? entry[1].schema.id ?? `schema${ctx.counter++}`;
            entry[1].defId = id; // set defId so it will be reused if needed
            return { defId: id, ref: `${uriGenerator("__shared")}#/${defsSegment}/${encodeJSONPointerSegment(id)}` };
        }
        const uriPrefix = `#`;
        const defUriPrefix = `${uriPrefix}/${defsSegment}/`;
        // an id-less root has nowhere to be extracted to, so it stays inline and self-references as `#`
        if (entry[1] === root && !entry[1].schema.id) {
            return { ref: uriPrefix };
        }
        // self-contained schema
        const defId = entry[1].schema.id ?? `__schema${ctx.counter++}`;
        return { defId, ref: defUriPrefix + encodeJSONPointerSegment(defId) };
    };
    // stored cached version in `def` property remove all properties, set $ref
    const extractToDef = (entry) => {
        // if the schema is already a reference, do not extract it
        if (entry[1].schema.$ref) {
            return;
        }
        const seen = entry[1];
        const { ref, defId } = makeURI(entry);
        seen.def = { ...seen.schema };
        // defId won't be set if the schema is a reference to an external schema or if the schema is the root schema
        if (defId)
            seen.defId = defId;
        // wipe away all properties except $ref
        const schema = seen.schema;
        for (const key in schema) {
            delete schema[key];
        }
        schema.$ref = ref;
    };
    // throw on cycles
    // break cycles
    if (ctx.cycles === "throw") {
        for (const entry of ctx.seen.entries()) {
            const seen = entry[1];
            if (seen.cycle) {
                throw new Error("Cycle detected: " +
                    `#/${seen.cycle?.join("/")}/<root>` +
                    '\n\nSet the `cycles` parameter to `"ref"` to resolve cyclical schemas with defs.');
            }
        }
    }
    // extract schemas into $defs
    for (const entry of ctx.seen.entries()) {
        const seen = entry[1];
        // convert root schema to # $ref
        if (schema === entry[0]) {
            extractToDef(entry); // this has special handling for the root schema
            continue;
        }
        // extract schemas that are in the external registry
        if (ctx.external) {
            const ext = ctx.external.registry.get(entry[0])?.id;
            if (schema !== entry[0] && ext) {
                extractToDef(entry);
                continue;
            }
        }
        // extract schemas with `id` meta
        const id = ctx.metadataRegistry.get(entry[0])?.id;
        if (id) {
            extractToDef(entry);
            continue;
        }
        // break cycles
        if (seen.cycle) {
            // any
            extractToDef(entry);
            continue;
        }
        // extract reused schemas
        if (seen.count > 1) {
            if (ctx.reused === "ref") {
                extractToDef(entry);
            }
        }
    }
    if (ctx.external)
        ctx.sharedDefsExtractedFor = ctx.external;
}
/** Rewrites `anyOf: [{type: "a"}, {type: "b"}]` to `type: ["a", "b"]`, which every JSON Schema draft treats as equivalent and most consumers render far better for the nullable case. Only branches that are a bare type assertion qualify — anything carrying a constraint, `$ref`, `const` or metadata is left alone. Runs after `flattenRef`, so a branch an override decorated or `$defs` extraction turned into a `$ref` is no longer bare and correctly stays in `anyOf`. `oneOf` is excluded: `integer` and `number` overlap, so "exactly one" and "at least one" are not the same there. OpenAPI 3.0 is excluded: its `type` must be a single string. */
function compactTypeUnion(schema) {
    const options = schema.anyOf;
    if (!Array.isArray(options) || options.length === 0 || schema.type !== undefined)
        return;
    const types = [];
    for (const option of options) {
        if (!option || typeof option !== "object")
            return;
        // A branch that is itself a compactible union folds into this one — nested `anyOf` and a flat `type` array say the same thing. Compacting it first also makes the result independent of the order this pass walks the seen map in.
        compactTypeUnion(option);
        const keys = Object.keys(option);
        if (keys.length !== 1 || keys[0] !== "type")
            return;
        const type = option.type;
        for (const member of Array.isArray(type) ? type : [type]) {
            if (typeof member !== "string")
                return;
            if (!types.includes(member))
                types.push(member);
        }
    }
    delete schema.anyOf;
    // A `type` array must be non-empty and unique (metaschema); a single member is spelled as a bare string.
    schema.type = types.length === 1 ? types[0] : types;
}
/** Keywords `foldIntersection` knows how to combine. Anything else — `$ref`, `patternProperties`,
 * an annotation like `description` — makes a member unfoldable, so a constraint this does not
 * understand leaves the `allOf` alone instead of being silently dropped or misattributed. */
const FOLDABLE_KEYS = new Set(["type", "properties", "required", "additionalProperties"]);
const UNION_KEYS = ["oneOf", "anyOf"];
/** A member's constraint on a key it does not declare itself. A `catchall` states one; `false`, an absent `additionalProperties`, and the empty schema a loose object emits state nothing. */
function undeclaredConstraint(member) {
    const extra = member.additionalProperties;
    if (extra === undefined || extra === false || typeof extra !== "object" || extra === null)
        return null;
    return Object.keys(extra).length ? extra : null;
}
/** Combines object members into the single object they describe together, or returns `null` if any of them carries a keyword outside {@link FOLDABLE_KEYS}. */
function foldObjects(members) {
    const objects = [];
    for (const member of members) {
        // A boolean subschema is legal JSON Schema and carries no keywords to fold.
        if (typeof member !== "object" || member.type !== "object")
            return null;
        for (const key in member) {
            if (!FOLDABLE_KEYS.has(key))
                return null;
        }
        objects.push(member);
    }
    const properties = {};
    const required = new Set();
    for (const object of objects) {
        for (const key in object.properties) {
            // `in` would report a `__proto__` key as already present via the prototype chain and skip it.
            if (Object.prototype.hasOwnProperty.call(properties, key))
                continue;
            // Every member constrains this key: the ones that declare it say how, and a `catchall` member constrains it too even though it does not name it. The key has to satisfy all of them, which is the same intersection one level down.
            const parts = [];
            for (const other of objects) {
                const part = other.properties?.[key] ?? undeclaredConstraint(other);
                if (part === null || part === undefined)
                    continue;
                if (!parts.some((seen) => JSON.stringify(seen) === JSON.stringify(part)))
                    parts.push(part);
            }
            const merged = parts.length === 1
                ? parts[0]
                : (foldObjects(parts) ?? { allOf: parts });
            util_assignProp(properties, key, merged);
        }
        for (const key of object.required ?? [])
            required.add(key);
    }
    const folded = { type: "object", properties };
    if (required.size)
        folded.required = [...required];
    // A key no member declares is rejected only when every member rejects it, so the fold is closed only when every member is. Otherwise it carries whatever the `catchall` members demand of such a key.
    if (objects.every((object) => object.additionalProperties === false)) {
        folded.additionalProperties = false;
    }
    else {
        const constraints = [];
        for (const object of objects) {
            const constraint = undeclaredConstraint(object);
            if (constraint && !constraints.some((seen) => JSON.stringify(seen) === JSON.stringify(constraint)))
                constraints.push(constraint);
        }
        if (constraints.length === 1)
            folded.additionalProperties = constraints[0];
        else if (constraints.length > 1)
            folded.additionalProperties = { allOf: constraints };
    }
    return folded;
}
/** `additionalProperties` in an `allOf` member sees only that member's own `properties`, so two
 * closed object members reject each other's keys and the schema validates nothing. Zod's parser
 * pools the key sets instead — `handleIntersectionResults` reports a key as unrecognized only when
 * *every* side rejects it — so the emitted schema has to pool them too, and folding the members
 * into one object is the encoding that says so on every target.
 *
 * This runs from `finalize`, after `extractDefs`, which is what keeps it clear of the `$ref`
 * machinery: a member extracted into `$defs` is already a `$ref` by now and declines to fold, so it
 * keeps its reference and its own closedness rather than being inlined as a stale copy. */
function foldIntersection(json) {
    const allOf = json.allOf;
    if (!Array.isArray(allOf) || allOf.length < 2)
        return;
    // An `override` runs before this pass and may have written object keywords onto the intersection itself. Those are deliberate, so decline rather than overwrite them.
    for (const key of FOLDABLE_KEYS)
        if (key in json)
            return;
    // An intersection distributes over a union: `A & (X | Y)` is `(A & X) | (A & Y)`. Only the first union is distributed over; a second one stays among the members every branch folds against, where it fails the object check and declines the whole intersection rather than multiplying out.
    const unions = allOf.filter((m) => UNION_KEYS.some((k) => Array.isArray(m[k])));
    let folded = null;
    if (!unions.length) {
        folded = foldObjects(allOf);
    }
    else {
        const union = unions[0];
        const keyword = UNION_KEYS.find((k) => Array.isArray(union[k]));
        if (Object.keys(union).length !== 1)
            return;
        const rest = allOf.filter((m) => m !== union);
        const branches = union[keyword].map((branch) => foldObjects([...rest, branch]));
        if (branches.some((b) => !b))
            return;
        folded = { [keyword]: branches };
    }
    if (!folded)
        return;
    delete json.allOf;
    assignProps(json, folded);
}
function to_json_schema_finalize(ctx, schema) {
    const root = ctx.seen.get(schema);
    if (!root)
        throw new Error("Unprocessed schema. This is a bug in Zod.");
    // flatten refs - inherit properties from parent schemas
    const flattenRef = (zodSchema) => {
        const seen = ctx.seen.get(zodSchema);
        // already processed
        if (seen.ref === null)
            return;
        const schema = seen.def ?? seen.schema;
        const _cached = { ...schema };
        const ref = seen.ref;
        seen.ref = null; // prevent infinite recursion
        if (ref) {
            flattenRef(ref);
            const refSeen = ctx.seen.get(ref);
            const refSchema = refSeen.schema;
            // merge referenced schema into current
            if (refSchema.$ref && (ctx.target === "draft-07" || ctx.target === "draft-04" || ctx.target === "openapi-3.0")) {
                // older drafts can't combine $ref with other properties
                schema.allOf = schema.allOf ?? [];
                schema.allOf.push(refSchema);
            }
            else {
                assignProps(schema, refSchema);
            }
            // restore child's own properties (child wins)
            assignProps(schema, _cached);
            const isParentRef = zodSchema._zod.parent === ref;
            // For parent chain, child is a refinement - remove parent-only properties
            if (isParentRef) {
                for (const key in schema) {
                    if (key === "$ref" || key === "allOf")
                        continue;
                    if (!(key in _cached)) {
                        delete schema[key];
                    }
                }
            }
            // When ref was extracted to $defs, remove properties that match the definition
            if (refSchema.$ref && refSeen.def) {
                for (const key in schema) {
                    if (key === "$ref" || key === "allOf")
                        continue;
                    if (key in refSeen.def && JSON.stringify(schema[key]) === JSON.stringify(refSeen.def[key])) {
                        delete schema[key];
                    }
                }
            }
        }
        // If parent was extracted (has $ref), propagate $ref to this schema. This handles cases like: readonly().meta({id}).describe() where processor sets ref to innerType but parent should be referenced
        const parent = zodSchema._zod.parent;
        if (parent && parent !== ref) {
            // Ensure parent is processed first so its def has inherited properties
            flattenRef(parent);
            const parentSeen = ctx.seen.get(parent);
            if (parentSeen?.schema.$ref) {
                schema.$ref = parentSeen.schema.$ref;
                // De-duplicate with parent's definition
                if (parentSeen.def) {
                    for (const key in schema) {
                        if (key === "$ref" || key === "allOf")
                            continue;
                        if (key in parentSeen.def && JSON.stringify(schema[key]) === JSON.stringify(parentSeen.def[key])) {
                            delete schema[key];
                        }
                    }
                }
            }
        }
        // execute overrides
        ctx.override({
            zodSchema: zodSchema,
            jsonSchema: schema,
            path: seen.path ?? [],
        });
    };
    // Flattening walks the whole map and clears each `ref` as it goes, so a second call over the same map is a no-op scan. Skip it outright once it has run for a registry conversion.
    if (!ctx.external || ctx.sharedEmitDoneFor !== ctx.external) {
        for (const entry of [...ctx.seen.entries()].reverse()) {
            flattenRef(entry[0]);
        }
        if (ctx.target !== "openapi-3.0") {
            for (const entry of ctx.seen.entries()) {
                compactTypeUnion(entry[1].def ?? entry[1].schema);
            }
        }
        for (const rewrite of ctx.deferred)
            rewrite();
        // After flattening, every member that was extracted is a `$ref`, so the fold sees the final shape. A schema that inherits an intersection — through `z.lazy`, or any `ref` chain — holds the same `allOf` array, so fold by array identity to catch every copy.
        if (ctx.intersections.length) {
            const carriers = new Map();
            for (const seen of ctx.seen.values()) {
                for (const json of [seen.schema, seen.def]) {
                    const allOf = json?.allOf;
                    if (!Array.isArray(allOf))
                        continue;
                    const existing = carriers.get(allOf);
                    if (existing)
                        existing.push(json);
                    else
                        carriers.set(allOf, [json]);
                }
            }
            for (const allOf of ctx.intersections) {
                for (const json of carriers.get(allOf) ?? [])
                    foldIntersection(json);
            }
        }
    }
    const result = {};
    if (ctx.target === "draft-2020-12") {
        result.$schema = "https://json-schema.org/draft/2020-12/schema";
    }
    else if (ctx.target === "draft-07") {
        result.$schema = "http://json-schema.org/draft-07/schema#";
    }
    else if (ctx.target === "draft-04") {
        result.$schema = "http://json-schema.org/draft-04/schema#";
    }
    else if (ctx.target === "openapi-3.0") {
        // OpenAPI 3.0 schema objects should not include a $schema property
    }
    else {
        // Arbitrary string values are allowed but won't have a $schema property set
    }
    if (ctx.external?.uri) {
        const id = ctx.external.registry.get(schema)?.id;
        if (!id)
            throw new Error("Schema is missing an `id` property");
        result.$id = ctx.external.uri(id);
    }
    // when the root was extracted into $defs, `root.schema` is the `$ref` wrapper and `root.def` is the body that now lives under $defs
    assignProps(result, root.defId ? root.schema : (root.def ?? root.schema));
    // The `id` in `.meta()` is a Zod-specific registration tag used to extract schemas into $defs — it is not user-facing JSON Schema metadata. Strip it from the output body where it would otherwise leak. The id is preserved implicitly via the $defs key (and via $ref paths).
    const rootMetaId = ctx.metadataRegistry.get(schema)?.id;
    if (rootMetaId !== undefined && result.id === rootMetaId)
        delete result.id;
    // build defs object. With `external`, `defs` is the shared object every schema writes into, so the same entries are reassigned on every call. Without it, `defs` is fresh per call and must be rebuilt.
    const defs = ctx.external?.defs ?? {};
    if (!ctx.external || ctx.sharedEmitDoneFor !== ctx.external) {
        for (const entry of ctx.seen.entries()) {
            const seen = entry[1];
            if (seen.def && seen.defId) {
                if (seen.def.id === seen.defId)
                    delete seen.def.id;
                util_assignProp(defs, seen.defId, seen.def);
            }
        }
    }
    if (ctx.external)
        ctx.sharedEmitDoneFor = ctx.external;
    // set definitions in result
    if (ctx.external) {
    }
    else {
        if (Object.keys(defs).length > 0) {
            if (ctx.target === "draft-2020-12") {
                result.$defs = defs;
            }
            else {
                result.definitions = defs;
            }
        }
    }
    try {
        // this "finalizes" this schema and ensures all cycles are removed each call to finalize() is functionally independent though the seen map is shared
        const finalized = JSON.parse(JSON.stringify(result));
        Object.defineProperty(finalized, "~standard", {
            value: {
                ...schema["~standard"],
                jsonSchema: {
                    input: createStandardJSONSchemaMethod(schema, "input", ctx.processors),
                    output: createStandardJSONSchemaMethod(schema, "output", ctx.processors),
                },
            },
            enumerable: false,
            writable: false,
        });
        return finalized;
    }
    catch (_err) {
        throw new Error("Error converting schema to JSON.");
    }
}
function isTransforming(_schema, _ctx) {
    const ctx = _ctx ?? { seen: new Set() };
    if (ctx.seen.has(_schema))
        return false;
    ctx.seen.add(_schema);
    const def = _schema._zod.def;
    if (def.type === "transform")
        return true;
    if (def.type === "array")
        return isTransforming(def.element, ctx);
    if (def.type === "set")
        return isTransforming(def.valueType, ctx);
    if (def.type === "lazy")
        return isTransforming(def.getter(), ctx);
    if (def.type === "promise" ||
        def.type === "optional" ||
        def.type === "nonoptional" ||
        def.type === "nullable" ||
        def.type === "readonly" ||
        def.type === "default" ||
        def.type === "prefault" ||
        def.type === "catch") {
        return isTransforming(def.innerType, ctx);
    }
    if (def.type === "intersection") {
        return isTransforming(def.left, ctx) || isTransforming(def.right, ctx);
    }
    if (def.type === "record" || def.type === "map") {
        return isTransforming(def.keyType, ctx) || isTransforming(def.valueType, ctx);
    }
    if (def.type === "pipe") {
        if (_schema._zod.traits.has("$ZodCodec"))
            return true;
        return isTransforming(def.in, ctx) || isTransforming(def.out, ctx);
    }
    if (def.type === "object") {
        for (const key in def.shape) {
            if (isTransforming(def.shape[key], ctx))
                return true;
        }
        return false;
    }
    if (def.type === "union") {
        for (const option of def.options) {
            if (isTransforming(option, ctx))
                return true;
        }
        return false;
    }
    if (def.type === "tuple") {
        for (const item of def.items) {
            if (isTransforming(item, ctx))
                return true;
        }
        if (def.rest && isTransforming(def.rest, ctx))
            return true;
        return false;
    }
    return false;
}
/**
 * Creates a toJSONSchema method for a schema instance.
 * This encapsulates the logic of initializing context, processing, extracting defs, and finalizing.
 */
const createToJSONSchemaMethod = (schema, processors = {}) => (params) => {
    const ctx = to_json_schema_initializeContext({ ...params, processors });
    to_json_schema_processSchema(schema, ctx);
    to_json_schema_extractDefs(ctx, schema);
    return to_json_schema_finalize(ctx, schema);
};
const createStandardJSONSchemaMethod = (schema, io, processors = {}) => (params) => {
    const { libraryOptions, target } = params ?? {};
    const ctx = to_json_schema_initializeContext({ ...(libraryOptions ?? {}), target, io, processors });
    to_json_schema_processSchema(schema, ctx);
    to_json_schema_extractDefs(ctx, schema);
    return to_json_schema_finalize(ctx, schema);
};

;// CONCATENATED MODULE: ./node_modules/zod/v4/core/json-schema-processors.js




const narrowMin = (agg, key, value) => {
    if (agg[key] === undefined || value > agg[key])
        agg[key] = value;
};
const narrowMax = (agg, key, value) => {
    if (agg[key] === undefined || value < agg[key])
        agg[key] = value;
};
const narrowBoth = (agg, value) => {
    narrowMin(agg, "minimum", value);
    narrowMax(agg, "maximum", value);
};
const addDivisor = (agg, value) => {
    agg.multipleOf ?? (agg.multipleOf = []);
    if (!agg.multipleOf.includes(value))
        agg.multipleOf.push(value);
};
const addPattern = (agg, pattern) => {
    agg.patterns ?? (agg.patterns = new Set());
    agg.patterns.add(pattern);
};
const intersectMime = (agg, mime) => {
    agg.mime = agg.mime ? agg.mime.filter((m) => mime.includes(m)) : [...mime];
};
// last-wins, matching the bag's historical write order; the flag keeps an integer format from being lost to a later float one
const setFormat = (agg, format) => {
    agg.format = format;
    if (format.includes("int"))
        agg.isInt = true;
};
const minContributor = (agg, def) => narrowMin(agg, "minimum", def.minimum);
const maxContributor = (agg, def) => narrowMax(agg, "maximum", def.maximum);
const formatContributor = (ranges) => (agg, def) => {
    setFormat(agg, def.format);
    const [minimum, maximum] = ranges[def.format];
    narrowMin(agg, "minimum", minimum);
    narrowMax(agg, "maximum", maximum);
};
const contributors = {
    greater_than: (agg, def) => narrowMin(agg, def.inclusive ? "minimum" : "exclusiveMinimum", def.value),
    less_than: (agg, def) => narrowMax(agg, def.inclusive ? "maximum" : "exclusiveMaximum", def.value),
    multiple_of: (agg, def) => addDivisor(agg, def.value),
    number_format: formatContributor(NUMBER_FORMAT_RANGES),
    bigint_format: formatContributor(BIGINT_FORMAT_RANGES),
    min_length: minContributor,
    max_length: maxContributor,
    length_equals: (agg, def) => narrowBoth(agg, def.length),
    min_size: minContributor,
    max_size: maxContributor,
    size_equals: (agg, def) => narrowBoth(agg, def.size),
    string_format: (agg, def) => {
        setFormat(agg, def.format);
        if (def.pattern)
            addPattern(agg, def.pattern);
        if (def.format === "base64" || def.format === "base64url")
            agg.contentEncoding = def.format;
        if (def.local || def.precision === -1)
            agg.laxFormat = true;
    },
    mime_type: (agg, def) => intersectMime(agg, def.mime),
};
function aggregateChecks(schema) {
    const agg = {};
    const def = schema._zod.def;
    // a format schema is its own first check, same rule as $ZodType init
    const list = schema._zod.traits.has("$ZodCheck")
        ? [schema, ...(def.checks ?? [])]
        : (def.checks ?? []);
    for (const ch of list)
        contributors[ch._zod.def.check]?.(agg, ch._zod.def);
    // reconcile with the bag so third-party onattach contributions still land; first-party residue is never tighter than the fold, so merging it back is idempotent for one and additive for the other
    const bag = schema._zod.bag;
    if (bag.minimum !== undefined)
        narrowMin(agg, "minimum", bag.minimum);
    if (bag.exclusiveMinimum !== undefined)
        narrowMin(agg, "exclusiveMinimum", bag.exclusiveMinimum);
    if (bag.maximum !== undefined)
        narrowMax(agg, "maximum", bag.maximum);
    if (bag.exclusiveMaximum !== undefined)
        narrowMax(agg, "exclusiveMaximum", bag.exclusiveMaximum);
    if (bag.multipleOf !== undefined)
        addDivisor(agg, bag.multipleOf);
    if (bag.format !== undefined) {
        agg.format ?? (agg.format = bag.format);
        if (bag.format.includes("int"))
            agg.isInt = true;
    }
    if (bag.mime)
        intersectMime(agg, bag.mime);
    for (const pattern of bag.patterns ?? [])
        addPattern(agg, pattern);
    return agg;
}
const formatMap = {
    guid: "uuid",
    url: "uri",
    datetime: "date-time",
    json_string: "json-string",
    regex: "", // do not set
};
// ==================== SIMPLE TYPE PROCESSORS ====================
// the runtime patterns are lax so parse paths never overflow the regex stack; the emitted schema swaps in the exact block forms, which zod itself never executes
const exactPatterns = new Map([
    [base64Charset, base64],
    [base64urlCharset, base64url],
]);
const exactPattern = (p) => exactPatterns.get(p) ?? p;
const stringProcessor = (schema, ctx, _json, _params) => {
    const json = _json;
    json.type = "string";
    const { minimum, maximum, format, patterns, contentEncoding, laxFormat } = aggregateChecks(schema);
    if (typeof minimum === "number")
        json.minLength = minimum;
    if (typeof maximum === "number")
        json.maxLength = maximum;
    // custom pattern overrides format
    if (format) {
        json.format = formatMap[format] ?? format;
        if (json.format === "")
            delete json.format; // empty format is not valid
        // `z.iso.time()` is never full-time, and `laxFormat` carries the datetime shapes that also accept what their keyword forbids
        if (format === "time" || laxFormat) {
            delete json.format;
        }
    }
    if (contentEncoding)
        json.contentEncoding = contentEncoding;
    if (patterns && patterns.size > 0) {
        const patternList = [...patterns].map(exactPattern);
        if (patternList.length === 1)
            json.pattern = patternList[0].source;
        else if (patternList.length > 1) {
            json.allOf = [
                ...patternList.map((regex) => ({
                    ...(ctx.target === "draft-07" || ctx.target === "draft-04" || ctx.target === "openapi-3.0"
                        ? { type: "string" }
                        : {}),
                    pattern: regex.source,
                })),
            ];
        }
    }
};
const numberProcessor = (schema, ctx, _json, params) => {
    const json = _json;
    const { minimum, maximum, multipleOf, exclusiveMaximum, exclusiveMinimum, isInt } = aggregateChecks(schema);
    json.type = isInt ? "integer" : "number";
    // when both minimum and exclusiveMinimum exist, pick the more restrictive one
    const exMin = typeof exclusiveMinimum === "number" && exclusiveMinimum >= (minimum ?? Number.NEGATIVE_INFINITY);
    const exMax = typeof exclusiveMaximum === "number" && exclusiveMaximum <= (maximum ?? Number.POSITIVE_INFINITY);
    const legacy = ctx.target === "draft-04" || ctx.target === "openapi-3.0";
    if (exMin) {
        if (legacy) {
            json.minimum = exclusiveMinimum;
            json.exclusiveMinimum = true;
        }
        else {
            json.exclusiveMinimum = exclusiveMinimum;
        }
    }
    else if (typeof minimum === "number") {
        json.minimum = minimum;
    }
    if (exMax) {
        if (legacy) {
            json.maximum = exclusiveMaximum;
            json.exclusiveMaximum = true;
        }
        else {
            json.exclusiveMaximum = exclusiveMaximum;
        }
    }
    else if (typeof maximum === "number") {
        json.maximum = maximum;
    }
    if (multipleOf) {
        // JSON Schema requires a divisor strictly greater than zero, and a non-finite one does not survive JSON at all. A negative divisor accepts exactly what its absolute value accepts, so it still maps; zero, NaN and Infinity have no keyword form.
        const divisors = new Set();
        for (const divisor of multipleOf) {
            if (Number.isFinite(divisor) && divisor !== 0)
                divisors.add(Math.abs(divisor));
            else
                handleUnrepresentable(schema, ctx, json, params, `A multipleOf divisor of ${divisor} cannot be represented in JSON Schema`);
        }
        // chained divisors are a conjunction the keyword cannot carry alone, so extras ride an allOf, same as stacked patterns
        const [first, ...rest] = divisors;
        if (first !== undefined)
            json.multipleOf = first;
        if (rest.length)
            json.allOf = [...(json.allOf ?? []), ...rest.map((m) => ({ multipleOf: m }))];
    }
};
const booleanProcessor = (_schema, _ctx, json, _params) => {
    json.type = "boolean";
};
const bigintProcessor = (schema, ctx, json, params) => {
    handleUnrepresentable(schema, ctx, json, params, "BigInt cannot be represented in JSON Schema");
};
const symbolProcessor = (schema, ctx, json, params) => {
    handleUnrepresentable(schema, ctx, json, params, "Symbols cannot be represented in JSON Schema");
};
const nullProcessor = (_schema, ctx, json, _params) => {
    if (ctx.target === "openapi-3.0") {
        json.type = "string";
        json.nullable = true;
        json.enum = [null];
    }
    else {
        json.type = "null";
    }
};
const undefinedProcessor = (schema, ctx, json, params) => {
    handleUnrepresentable(schema, ctx, json, params, "Undefined cannot be represented in JSON Schema");
};
const voidProcessor = (schema, ctx, json, params) => {
    handleUnrepresentable(schema, ctx, json, params, "Void cannot be represented in JSON Schema");
};
const neverProcessor = (_schema, _ctx, json, _params) => {
    json.not = {};
};
const anyProcessor = (_schema, _ctx, _json, _params) => {
    // empty schema accepts anything
};
const unknownProcessor = (_schema, _ctx, _json, _params) => {
    // empty schema accepts anything
};
const dateProcessor = (schema, ctx, json, params) => {
    handleUnrepresentable(schema, ctx, json, params, "Date cannot be represented in JSON Schema");
};
const enumProcessor = (schema, _ctx, json, _params) => {
    const def = schema._zod.def;
    const values = getEnumValues(def.entries);
    // an empty enum accepts nothing, same as z.never()
    if (values.length === 0) {
        json.not = {};
        return;
    }
    // Number enums can have both string and number values
    if (values.every((v) => typeof v === "number"))
        json.type = "number";
    if (values.every((v) => typeof v === "string"))
        json.type = "string";
    json.enum = values;
};
const literalProcessor = (schema, ctx, json, params) => {
    const def = schema._zod.def;
    // a literal with no values accepts nothing, same as z.never()
    if (def.values.length === 0) {
        json.not = {};
        return;
    }
    const vals = [];
    for (const val of def.values) {
        if (val === undefined) {
            // a custom schema replaces the whole literal, so there is nothing left to accumulate
            if (handleUnrepresentable(schema, ctx, json, params, "Literal `undefined` cannot be represented in JSON Schema"))
                return;
            // otherwise do not add to vals
        }
        else if (typeof val === "bigint") {
            if (handleUnrepresentable(schema, ctx, json, params, "BigInt literals cannot be represented in JSON Schema"))
                return;
            vals.push(Number(val));
        }
        else {
            vals.push(val);
        }
    }
    if (vals.length === 0) {
        // do nothing (an undefined literal was stripped)
    }
    else if (vals.length === 1) {
        const val = vals[0];
        json.type = val === null ? "null" : typeof val;
        if (ctx.target === "draft-04" || ctx.target === "openapi-3.0") {
            json.enum = [val];
        }
        else {
            json.const = val;
        }
    }
    else {
        if (vals.every((v) => typeof v === "number"))
            json.type = "number";
        if (vals.every((v) => typeof v === "string"))
            json.type = "string";
        if (vals.every((v) => typeof v === "boolean"))
            json.type = "boolean";
        if (vals.every((v) => v === null))
            json.type = "null";
        json.enum = vals;
    }
};
const nanProcessor = (schema, ctx, json, params) => {
    handleUnrepresentable(schema, ctx, json, params, "NaN cannot be represented in JSON Schema");
};
const templateLiteralProcessor = (schema, _ctx, json, _params) => {
    const _json = json;
    const pattern = schema._zod.pattern;
    if (!pattern)
        throw new Error("Pattern not found in template literal");
    _json.type = "string";
    _json.pattern = pattern.source;
};
const fileProcessor = (schema, _ctx, json, _params) => {
    const _json = json;
    _json.type = "string";
    _json.format = "binary";
    _json.contentEncoding = "binary";
    const { minimum, maximum, mime } = aggregateChecks(schema);
    if (minimum !== undefined)
        _json.minLength = minimum;
    if (maximum !== undefined)
        _json.maxLength = maximum;
    if (!mime)
        return;
    // an empty intersection means the mime checks share no value, so nothing passes at runtime; `anyOf` must be non-empty, so the false schema is `not: {}`
    if (mime.length === 0)
        _json.not = {};
    else if (mime.length === 1)
        _json.contentMediaType = mime[0];
    // only contentMediaType differs, so the shared props stay at the root
    else
        _json.anyOf = mime.map((m) => ({ contentMediaType: m }));
};
const successProcessor = (_schema, _ctx, json, _params) => {
    json.type = "boolean";
};
const customProcessor = (schema, ctx, json, params) => {
    handleUnrepresentable(schema, ctx, json, params, "Custom types cannot be represented in JSON Schema");
};
const functionProcessor = (schema, ctx, json, params) => {
    handleUnrepresentable(schema, ctx, json, params, "Function types cannot be represented in JSON Schema");
};
const transformProcessor = (schema, ctx, json, params) => {
    handleUnrepresentable(schema, ctx, json, params, "Transforms cannot be represented in JSON Schema");
};
const mapProcessor = (schema, ctx, json, params) => {
    handleUnrepresentable(schema, ctx, json, params, "Map cannot be represented in JSON Schema");
};
const setProcessor = (schema, ctx, json, params) => {
    handleUnrepresentable(schema, ctx, json, params, "Set cannot be represented in JSON Schema");
};
// ==================== COMPOSITE TYPE PROCESSORS ====================
const arrayProcessor = (schema, ctx, _json, params) => {
    const json = _json;
    const def = schema._zod.def;
    const { minimum, maximum } = aggregateChecks(schema);
    if (typeof minimum === "number")
        json.minItems = minimum;
    if (typeof maximum === "number")
        json.maxItems = maximum;
    json.type = "array";
    json.items = to_json_schema_processSchema(def.element, ctx, {
        ...params,
        path: [...params.path, "items"],
    });
};
// Transform and catch set `optin = "optional"` at runtime so the parser lets them observe an
// absent key, but their declared input type stays required. An input JSON Schema describes the
// declared type, so resolve past them to the schema that actually carries the optionality.
// Used by both `objectProcessor` (for `required`) and `tupleProcessor` (for `minItems`); see
// wiki/optionality.md, "The JSON Schema emitter reads the *static* value".
function inputOptin(schema) {
    const def = schema._zod.def;
    if (def.type === "pipe" && def.in._zod.traits.has("$ZodTransform")) {
        return inputOptin(def.out);
    }
    if (def.type === "catch") {
        return inputOptin(def.innerType);
    }
    return schema._zod.optin;
}
const objectProcessor = (schema, ctx, _json, params) => {
    const json = _json;
    const def = schema._zod.def;
    const shape = def.shape;
    // dropping it while still emitting `additionalProperties: false` would emit a schema that rejects data this one requires
    const symbolKeys = Object.getOwnPropertySymbols(shape);
    if (symbolKeys.length &&
        handleUnrepresentable(schema, ctx, json, params, "Symbol keys cannot be represented in JSON Schema")) {
        return;
    }
    json.type = "object";
    json.properties = {};
    for (const key in shape) {
        // assignProp so a __proto__ key becomes an own property instead of hitting the inherited setter on the plain {} we build into
        util_assignProp(json.properties, key, to_json_schema_processSchema(shape[key], ctx, {
            ...params,
            path: [...params.path, "properties", key],
        }));
    }
    // required keys
    const requiredKeys = [];
    for (const key of Object.keys(shape)) {
        const field = def.shape[key];
        if (ctx.io === "input" ? inputOptin(field) === undefined : field._zod.optout === undefined) {
            requiredKeys.push(key);
        }
    }
    if (requiredKeys.length > 0) {
        json.required = requiredKeys;
    }
    // catchall
    if (def.catchall?._zod.def.type === "never") {
        // strict
        json.additionalProperties = false;
    }
    else if (!def.catchall) {
        // regular
        if (ctx.io === "output")
            json.additionalProperties = false;
    }
    else if (def.catchall) {
        json.additionalProperties = to_json_schema_processSchema(def.catchall, ctx, {
            ...params,
            path: [...params.path, "additionalProperties"],
        });
    }
};
const unionProcessor = (schema, ctx, json, params) => {
    const def = schema._zod.def;
    // Exclusive unions (inclusive === false) use oneOf (exactly one match) instead of anyOf (one or more matches). This includes both z.xor() and discriminated unions
    const isExclusive = def.inclusive === false;
    const options = def.options.map((x, i) => to_json_schema_processSchema(x, ctx, {
        ...params,
        path: [...params.path, isExclusive ? "oneOf" : "anyOf", i],
    }));
    if (isExclusive) {
        json.oneOf = options;
    }
    else {
        json.anyOf = options;
    }
};
const intersectionProcessor = (schema, ctx, json, params) => {
    const def = schema._zod.def;
    const a = to_json_schema_processSchema(def.left, ctx, {
        ...params,
        path: [...params.path, "allOf", 0],
    });
    const b = to_json_schema_processSchema(def.right, ctx, {
        ...params,
        path: [...params.path, "allOf", 1],
    });
    const isSimpleIntersection = (val) => "allOf" in val && Object.keys(val).length === 1;
    const allOf = [
        ...(isSimpleIntersection(a) ? a.allOf : [a]),
        ...(isSimpleIntersection(b) ? b.allOf : [b]),
    ];
    json.allOf = allOf;
    // Recorded innermost first, so a nested intersection has already folded by the time this one is considered. The array is the handle rather than the schema, because a wrapper that inherits this schema shares the same array; `finalize` folds every object holding it. See `foldIntersection`.
    ctx.intersections.push(allOf);
};
const tupleProcessor = (schema, ctx, _json, params) => {
    const json = _json;
    const def = schema._zod.def;
    json.type = "array";
    const prefixPath = ctx.target === "draft-2020-12" ? "prefixItems" : "items";
    const restPath = ctx.target === "draft-2020-12" ? "items" : ctx.target === "openapi-3.0" ? "items" : "additionalItems";
    const prefixItems = def.items.map((x, i) => to_json_schema_processSchema(x, ctx, {
        ...params,
        path: [...params.path, prefixPath, i],
    }));
    const rest = def.rest
        ? to_json_schema_processSchema(def.rest, ctx, {
            ...params,
            path: [...params.path, restPath, ...(ctx.target === "openapi-3.0" ? [def.items.length] : [])],
        })
        : null;
    let minItems = def.items.length;
    while (minItems > 0) {
        const item = def.items[minItems - 1];
        const optional = ctx.io === "input" ? inputOptin(item) !== undefined : item._zod.optout === "optional";
        if (!optional)
            break;
        minItems--;
    }
    const maxItems = def.items.length;
    const isClosed = !def.rest;
    if (ctx.target === "draft-2020-12") {
        json.prefixItems = prefixItems;
        if (isClosed) {
            json.items = false;
        }
        else if (rest) {
            json.items = rest;
        }
        if (minItems > 0)
            json.minItems = minItems;
        if (isClosed)
            json.maxItems = maxItems;
    }
    else if (ctx.target === "openapi-3.0") {
        json.items = {
            anyOf: prefixItems,
        };
        if (rest) {
            json.items.anyOf.push(rest);
        }
        if (minItems > 0)
            json.minItems = minItems;
        if (isClosed)
            json.maxItems = maxItems;
    }
    else {
        json.items = prefixItems;
        if (isClosed) {
            json.additionalItems = false;
        }
        else if (rest) {
            json.additionalItems = rest;
        }
        if (minItems > 0)
            json.minItems = minItems;
        if (isClosed)
            json.maxItems = maxItems;
    }
    // explicit user-defined length checks take precedence
    const { minimum, maximum } = aggregateChecks(schema);
    if (typeof minimum === "number")
        json.minItems = minimum;
    if (typeof maximum === "number")
        json.maxItems = maximum;
};
/** JSON object keys are always strings, so a numeric record key schema is re-expressed over the
 * numeric-string form the record parser matches. Deferred to `finalize`, after the flatten: a key
 * behind a wrapper only carries its own `type` before then, and a union key only has its branches.
 *
 * A numeric bound cannot apply to a property name, so `minimum` and its siblings are dropped rather
 * than carried over: keeping them beside `type: "string"` reproduces the match-nothing schema this
 * exists to fix. A key that carries one therefore emits wider than the record parses — `z.record(z.number().min(5), V)`
 * accepts `"3"` — which is the deliberate trade, since throwing on it would reject an ordinary schema
 * outright. */
function stringifyKeyNames(bySchema, json, visited) {
    // an extracted key that rewrites cannot go on sharing its definition — the string form a key position needs is not the number form every other reference wants — so it inlines. One that does not rewrite keeps the `$ref`.
    if (json.$ref) {
        // a recursive key holds its own reference inside its definition, so a node already on the path is left alone rather than resolved again
        if (visited.has(json))
            return json;
        visited.add(json);
        const def = bySchema.get(json)?.def;
        if (!def)
            return json;
        const inlined = stringifyKeyNames(bySchema, def, visited);
        return inlined === def ? json : inlined;
    }
    for (const keyword of ["anyOf", "oneOf"]) {
        const branches = json[keyword];
        if (!Array.isArray(branches))
            continue;
        const mapped = branches.map((branch) => stringifyKeyNames(bySchema, branch, visited));
        // rebuilding regardless would detach a key that had nothing to re-express, dropping its `$ref` and leaking the internal `id`
        if (mapped.some((branch, i) => branch !== branches[i]))
            json = { ...json, [keyword]: mapped };
    }
    // a member that already admits a string leaves the key unconstrained, so the node's own type re-expresses only when every member is numeric
    const types = Array.isArray(json.type) ? json.type : [json.type];
    const numericType = !types.includes("string") && types.some((t) => t === "number" || t === "integer");
    // a heterogeneous key carries no type at all, so its numeric members are caught here instead
    const values = json.enum ?? (json.const !== undefined ? [json.const] : undefined);
    if (!numericType && !values?.some((v) => typeof v === "number"))
        return json;
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format, id, ...rest } = json;
    if (rest.enum)
        rest.enum = rest.enum.map((v) => (typeof v === "number" ? String(v) : v));
    else if (typeof rest.const === "number")
        rest.const = String(rest.const);
    // a heterogeneous key keeps its absent type: the stringified members already say what a key may be
    if (!numericType)
        return rest;
    rest.type = "string";
    if (!values)
        rest.pattern = (types.includes("number") ? number : integer).source;
    return rest;
}
/** Every record of one conversion, so the carriers are found in a single pass rather than once per record. */
const pendingRecords = new WeakMap();
function rewriteKeyNames(ctx) {
    // an extracted key is resolved by the object `extractToDef` left in its place, so the map is built once rather than searched per reference. `_zod.toJSONSchema` can hand the same object to two schemas, so the first entry carrying a body wins, as a search would have found it.
    const bySchema = new Map();
    for (const entry of ctx.seen.values()) {
        if (entry.def && !bySchema.has(entry.schema))
            bySchema.set(entry.schema, entry);
    }
    const rewrites = new Map();
    for (const record of pendingRecords.get(ctx) ?? []) {
        const seen = ctx.seen.get(record);
        const names = (seen?.def ?? seen?.schema)?.propertyNames;
        if (!names || names === true || rewrites.has(names))
            continue;
        const rewritten = stringifyKeyNames(bySchema, names, new Set());
        if (rewritten !== names)
            rewrites.set(names, rewritten);
    }
    if (!rewrites.size)
        return;
    // the flatten has already copied each record's own properties onto every wrapper by reference, and an extracted body is another such copy, so every carrier holding a rewritten key is updated together
    for (const entry of ctx.seen.values()) {
        for (const carrier of [entry.schema, entry.def]) {
            const rewritten = carrier && rewrites.get(carrier.propertyNames);
            if (rewritten)
                carrier.propertyNames = rewritten;
        }
    }
}
const recordProcessor = (schema, ctx, _json, params) => {
    const json = _json;
    const def = schema._zod.def;
    json.type = "object";
    // For looseRecord with regex patterns, use patternProperties. This correctly represents "only validate keys matching the pattern" semantics and composes well with allOf (intersections)
    const keyType = def.keyType;
    const patterns = aggregateChecks(keyType).patterns;
    if (def.mode === "loose" && patterns && patterns.size > 0) {
        // Use patternProperties for looseRecord with regex patterns
        const valueSchema = to_json_schema_processSchema(def.valueType, ctx, {
            ...params,
            path: [...params.path, "patternProperties", "*"],
        });
        json.patternProperties = {};
        for (const pattern of patterns) {
            util_assignProp(json.patternProperties, exactPattern(pattern).source, valueSchema);
        }
    }
    else {
        // Default behavior: use propertyNames + additionalProperties
        if (ctx.target === "draft-07" || ctx.target === "draft-2020-12") {
            json.propertyNames = to_json_schema_processSchema(def.keyType, ctx, {
                ...params,
                path: [...params.path, "propertyNames"],
            });
            let pending = pendingRecords.get(ctx);
            if (!pending) {
                pending = [];
                pendingRecords.set(ctx, pending);
                ctx.deferred.push(() => rewriteKeyNames(ctx));
            }
            pending.push(schema);
        }
        json.additionalProperties = to_json_schema_processSchema(def.valueType, ctx, {
            ...params,
            path: [...params.path, "additionalProperties"],
        });
    }
    // Add required for keys with discrete values (enum, literal, etc.)
    const keyValues = keyType._zod.values;
    // Every key shares one value schema, so an optional-in value makes the whole key set omittable on input. Output keeps them: the exhaustive branch assigns every key, even one whose value came back undefined.
    const omittableOnInput = ctx.io === "input" && inputOptin(def.valueType) !== undefined;
    if (keyValues && !def.partial && !omittableOnInput) {
        const validKeyValues = [...keyValues].filter((v) => typeof v === "string" || typeof v === "number");
        if (validKeyValues.length > 0) {
            json.required = validKeyValues.map(String);
        }
    }
};
const nullableProcessor = (schema, ctx, json, params) => {
    const def = schema._zod.def;
    const inner = to_json_schema_processSchema(def.innerType, ctx, params);
    const seen = ctx.seen.get(schema);
    if (ctx.target === "openapi-3.0") {
        seen.ref = def.innerType;
        json.nullable = true;
    }
    else {
        json.anyOf = [inner, { type: "null" }];
    }
};
const nonoptionalProcessor = (schema, ctx, _json, params) => {
    const def = schema._zod.def;
    to_json_schema_processSchema(def.innerType, ctx, params);
    const seen = ctx.seen.get(schema);
    seen.ref = def.innerType;
};
/** Round-trips a default value through JSON so the emitted schema is guaranteed to be valid JSON.
 * A BigInt has no reliable encoding, so it goes through `unrepresentable` like any other
 * unrepresentable value. Returns a sentinel when the caller must not write a default of its own. */
const UNREPRESENTABLE_DEFAULT = Symbol();
function serializeDefaultValue(value, schema, ctx, json, params) {
    let unrepresentable = false;
    const serialized = JSON.stringify(value, (_, val) => {
        if (typeof val !== "bigint")
            return val;
        unrepresentable = true;
        return null;
    });
    if (!unrepresentable)
        return JSON.parse(serialized);
    handleUnrepresentable(schema, ctx, json, params, "BigInt defaults cannot be represented in JSON Schema");
    return UNREPRESENTABLE_DEFAULT;
}
const defaultProcessor = (schema, ctx, json, params) => {
    const def = schema._zod.def;
    to_json_schema_processSchema(def.innerType, ctx, params);
    const seen = ctx.seen.get(schema);
    seen.ref = def.innerType;
    const value = serializeDefaultValue(def.defaultValue, schema, ctx, json, params);
    if (value !== UNREPRESENTABLE_DEFAULT)
        json.default = value;
};
const prefaultProcessor = (schema, ctx, json, params) => {
    const def = schema._zod.def;
    to_json_schema_processSchema(def.innerType, ctx, params);
    const seen = ctx.seen.get(schema);
    seen.ref = def.innerType;
    if (ctx.io !== "input")
        return;
    const value = serializeDefaultValue(def.defaultValue, schema, ctx, json, params);
    if (value !== UNREPRESENTABLE_DEFAULT)
        json._prefault = value;
};
const catchProcessor = (schema, ctx, json, params) => {
    const def = schema._zod.def;
    to_json_schema_processSchema(def.innerType, ctx, params);
    const seen = ctx.seen.get(schema);
    seen.ref = def.innerType;
    let catchValue;
    try {
        catchValue = def.catchValue(undefined);
    }
    catch {
        handleUnrepresentable(schema, ctx, json, params, "Dynamic catch values are not supported in JSON Schema");
        return;
    }
    json.default = catchValue;
};
const pipeProcessor = (schema, ctx, _json, params) => {
    const def = schema._zod.def;
    const inIsTransform = def.in._zod.traits.has("$ZodTransform");
    const innerType = ctx.io === "input" ? (inIsTransform ? def.out : def.in) : def.out;
    to_json_schema_processSchema(innerType, ctx, params);
    const seen = ctx.seen.get(schema);
    seen.ref = innerType;
};
const readonlyProcessor = (schema, ctx, json, params) => {
    const def = schema._zod.def;
    to_json_schema_processSchema(def.innerType, ctx, params);
    const seen = ctx.seen.get(schema);
    seen.ref = def.innerType;
    json.readOnly = true;
};
const promiseProcessor = (schema, ctx, _json, params) => {
    const def = schema._zod.def;
    to_json_schema_processSchema(def.innerType, ctx, params);
    const seen = ctx.seen.get(schema);
    seen.ref = def.innerType;
};
const optionalProcessor = (schema, ctx, _json, params) => {
    const def = schema._zod.def;
    to_json_schema_processSchema(def.innerType, ctx, params);
    const seen = ctx.seen.get(schema);
    seen.ref = def.innerType;
};
const lazyProcessor = (schema, ctx, _json, params) => {
    const innerType = schema._zod.innerType;
    to_json_schema_processSchema(innerType, ctx, params);
    const seen = ctx.seen.get(schema);
    seen.ref = innerType;
};
// ==================== ALL PROCESSORS ====================
const allProcessors = {
    string: stringProcessor,
    number: numberProcessor,
    boolean: booleanProcessor,
    bigint: bigintProcessor,
    symbol: symbolProcessor,
    null: nullProcessor,
    undefined: undefinedProcessor,
    void: voidProcessor,
    never: neverProcessor,
    any: anyProcessor,
    unknown: unknownProcessor,
    date: dateProcessor,
    enum: enumProcessor,
    literal: literalProcessor,
    nan: nanProcessor,
    template_literal: templateLiteralProcessor,
    file: fileProcessor,
    success: successProcessor,
    custom: customProcessor,
    function: functionProcessor,
    transform: transformProcessor,
    map: mapProcessor,
    set: setProcessor,
    array: arrayProcessor,
    object: objectProcessor,
    union: unionProcessor,
    intersection: intersectionProcessor,
    tuple: tupleProcessor,
    record: recordProcessor,
    nullable: nullableProcessor,
    nonoptional: nonoptionalProcessor,
    default: defaultProcessor,
    prefault: prefaultProcessor,
    catch: catchProcessor,
    pipe: pipeProcessor,
    readonly: readonlyProcessor,
    promise: promiseProcessor,
    optional: optionalProcessor,
    lazy: lazyProcessor,
};
function toJSONSchema(input, params) {
    if ("_idmap" in input) {
        // Registry case
        const registry = input;
        const ctx = initializeContext({ ...params, processors: allProcessors });
        const defs = {};
        // First pass: process all schemas to build the seen map
        for (const entry of registry._idmap.entries()) {
            const [_, schema] = entry;
            processSchema(schema, ctx);
        }
        const schemas = {};
        const external = {
            registry,
            uri: params?.uri,
            defs,
        };
        // Update the context with external configuration
        ctx.external = external;
        // Second pass: emit each schema
        for (const entry of registry._idmap.entries()) {
            const [key, schema] = entry;
            extractDefs(ctx, schema);
            assignProp(schemas, key, finalize(ctx, schema));
        }
        if (Object.keys(defs).length > 0) {
            const defsSegment = ctx.target === "draft-2020-12" ? "$defs" : "definitions";
            schemas.__shared = {
                [defsSegment]: defs,
            };
        }
        return { schemas };
    }
    // Single schema case
    const ctx = initializeContext({ ...params, processors: allProcessors });
    processSchema(input, ctx);
    extractDefs(ctx, input);
    return finalize(ctx, input);
}

;// CONCATENATED MODULE: ./node_modules/zod/v4/locales/en.js

const en_error = () => {
    const Sizable = {
        string: { unit: "characters", verb: "to have" },
        file: { unit: "bytes", verb: "to have" },
        array: { unit: "items", verb: "to have" },
        set: { unit: "items", verb: "to have" },
        map: { unit: "entries", verb: "to have" },
    };
    function getSizing(origin) {
        return Sizable[origin] ?? null;
    }
    const FormatDictionary = {
        regex: "input",
        email: "email address",
        url: "URL",
        emoji: "emoji",
        uuid: "UUID",
        uuidv4: "UUIDv4",
        uuidv6: "UUIDv6",
        nanoid: "nanoid",
        guid: "GUID",
        cuid: "cuid",
        cuid2: "cuid2",
        ulid: "ULID",
        xid: "XID",
        ksuid: "KSUID",
        datetime: "ISO datetime",
        date: "ISO date",
        time: "ISO time",
        duration: "ISO duration",
        ipv4: "IPv4 address",
        ipv6: "IPv6 address",
        mac: "MAC address",
        cidrv4: "IPv4 range",
        cidrv6: "IPv6 range",
        base64: "base64-encoded string",
        base64url: "base64url-encoded string",
        json_string: "JSON string",
        e164: "E.164 number",
        currency_code: "currency code",
        credit_card: "credit card number",
        iban: "IBAN",
        jwt: "JWT",
        template_literal: "input",
    };
    // type names: missing keys = do not translate (use raw value via ?? fallback)
    const TypeDictionary = {
        // Compatibility: "nan" -> "NaN" for display
        nan: "NaN",
        // All other type names omitted - they fall back to raw values via ?? operator
    };
    function getTypeName(type, input) {
        if (type === "number" && typeof input === "number" && !Number.isFinite(input)) {
            return String(input);
        }
        return TypeDictionary[type] ?? type;
    }
    return (issue) => {
        switch (issue.code) {
            case "invalid_type": {
                const expected = getTypeName(issue.expected);
                const receivedType = parsedType(issue.input);
                const received = getTypeName(receivedType, issue.input);
                return `Invalid input: expected ${expected}, received ${received}`;
            }
            case "invalid_value":
                if (issue.values.length === 1)
                    return `Invalid input: expected ${stringifyPrimitive(issue.values[0])}`;
                return `Invalid option: expected one of ${joinValues(issue.values, "|")}`;
            case "too_big": {
                const adj = issue.exact ? "exactly " : issue.inclusive ? "<=" : "<";
                const sizing = getSizing(issue.origin);
                if (sizing)
                    return `Too big: expected ${issue.origin ?? "value"} to have ${adj}${issue.maximum.toString()} ${sizing.unit ?? "elements"}`;
                return `Too big: expected ${issue.origin ?? "value"} to be ${adj}${issue.maximum.toString()}`;
            }
            case "too_small": {
                const adj = issue.exact ? "exactly " : issue.inclusive ? ">=" : ">";
                const sizing = getSizing(issue.origin);
                if (sizing) {
                    return `Too small: expected ${issue.origin} to have ${adj}${issue.minimum.toString()} ${sizing.unit}`;
                }
                return `Too small: expected ${issue.origin} to be ${adj}${issue.minimum.toString()}`;
            }
            case "invalid_format": {
                const _issue = issue;
                if (_issue.format === "starts_with") {
                    return `Invalid string: must start with "${_issue.prefix}"`;
                }
                if (_issue.format === "ends_with")
                    return `Invalid string: must end with "${_issue.suffix}"`;
                if (_issue.format === "includes")
                    return `Invalid string: must include "${_issue.includes}"`;
                if (_issue.format === "regex")
                    return `Invalid string: must match pattern ${_issue.pattern}`;
                return `Invalid ${FormatDictionary[_issue.format] ?? issue.format}`;
            }
            case "not_multiple_of":
                return `Invalid number: must be a multiple of ${issue.divisor}`;
            case "unrecognized_keys":
                return `Unrecognized key${issue.keys.length > 1 ? "s" : ""}: ${joinValues(issue.keys, ", ")}`;
            case "invalid_key":
                return `Invalid key in ${issue.origin}`;
            case "invalid_union":
                if (issue.options && Array.isArray(issue.options) && issue.options.length > 0) {
                    const opts = issue.options.map((o) => `'${o}'`).join(" | ");
                    return `Invalid discriminator value. Expected ${opts}`;
                }
                if (issue.inclusive === false) {
                    return "Invalid input: more than one option matched";
                }
                return "Invalid input";
            case "invalid_element":
                return `Invalid value in ${issue.origin}`;
            default:
                return `Invalid input`;
        }
    };
};
/* harmony default export */ function en() {
    return {
        localeError: en_error(),
    };
}

;// CONCATENATED MODULE: ./node_modules/zod/v4/core/errors.js


/* Computing the message eagerly is expensive (pretty-printed JSON of all
 * issues), so defer it until first read. The accessor functions and
 * descriptors are shared across instances to keep error construction
 * cheap; the computed message is cached on the internals object. The
 * setter preserves plain assignment semantics for consumers that
 * overwrite `message`. */
function _getMessage() {
    const internals = this._zod;
    internals.message ?? (internals.message = JSON.stringify(internals.def, jsonStringifyReplacer, 2));
    return internals.message;
}
function _setMessage(value) {
    this._zod.message = value;
}
const _messageDesc = {
    get: _getMessage,
    set: _setMessage,
    enumerable: true,
    configurable: true,
};
const _issuesDesc = { value: undefined, enumerable: false };
/* Prototypes that already carry the lazy `toString`. Seeded with the
 * intrinsics so that `init` on a foreign object — it accepts any object —
 * can never install an accessor onto a prototype we do not own. */
const _installedToString = /* @__PURE__ */ new WeakSet([Object.prototype, Error.prototype]);
const initializer = (inst, def) => {
    inst.name = "$ZodError";
    // `_zod` is already non-enumerable: $constructor's init defined it with this same descriptor
    _issuesDesc.value = def;
    Object.defineProperty(inst, "issues", _issuesDesc);
    // Clear the shared slot; a retained `value` pins the last error's issues.
    _issuesDesc.value = undefined;
    Object.defineProperty(inst, "message", _messageDesc);
    /* `toString` lives as a non-enumerable lazy getter on the shared
     * prototype; on first access it caches a per-instance closure so
     * detached usage still works. */
    const proto = Object.getPrototypeOf(inst);
    if (!_installedToString.has(proto)) {
        _installedToString.add(proto);
        Object.defineProperty(proto, "toString", {
            configurable: true,
            enumerable: false,
            get() {
                const value = () => this.message;
                Object.defineProperty(this, "toString", { value, configurable: true, writable: true });
                return value;
            },
            set(value) {
                Object.defineProperty(this, "toString", { value, configurable: true, writable: true });
            },
        });
    }
};
const $ZodError = $constructor("$ZodError", initializer);
const $ZodRealError = $constructor("$ZodError", initializer, undefined, {
    Parent: Error,
});
/** Get-or-create `obj[key]` as an own data property. A path segment naming an inherited member
 * ("toString", "constructor") would otherwise read through to the prototype, and assigning
 * "__proto__" would hit the setter instead of creating a key. */
function node(obj, key, make) {
    if (!Object.prototype.hasOwnProperty.call(obj, key)) {
        if (key === "__proto__") {
            Object.defineProperty(obj, key, { value: make(), writable: true, enumerable: true, configurable: true });
        }
        else {
            obj[key] = make();
        }
    }
    return obj[key];
}
function flattenError(error, mapper = (issue) => issue.message) {
    const fieldErrors = {};
    const formErrors = [];
    for (const sub of error.issues) {
        if (sub.path.length > 0) {
            node(fieldErrors, sub.path[0], () => []).push(mapper(sub));
        }
        else {
            formErrors.push(mapper(sub));
        }
    }
    return { formErrors, fieldErrors };
}
function formatError(error, mapper = (issue) => issue.message) {
    const fieldErrors = { _errors: [] };
    const processError = (error, path = []) => {
        for (const issue of error.issues) {
            if (issue.code === "invalid_union" && issue.errors.length) {
                issue.errors.map((issues) => processError({ issues }, [...path, ...issue.path]));
            }
            else if (issue.code === "invalid_key") {
                processError({ issues: issue.issues }, [...path, ...issue.path]);
            }
            else if (issue.code === "invalid_element") {
                processError({ issues: issue.issues }, [...path, ...issue.path]);
            }
            else {
                const fullpath = [...path, ...issue.path];
                if (fullpath.length === 0) {
                    fieldErrors._errors.push(mapper(issue));
                }
                else {
                    let curr = fieldErrors;
                    let i = 0;
                    while (i < fullpath.length) {
                        const el = fullpath[i];
                        const terminal = i === fullpath.length - 1;
                        // `_errors` is reserved by this legacy format, so merge a matching path segment into the current node instead of treating its array as a child.
                        if (el === "_errors") {
                            if (terminal)
                                curr._errors.push(mapper(issue));
                            i++;
                            continue;
                        }
                        // A path element may collide with an inherited property name such as
                        // "__proto__" or "constructor". Truthiness checks read the prototype
                        // (so no node is created, then ._errors.push throws), and bracket
                        // assignment of "__proto__" hits the setter instead of creating an
                        // own key. Guard the read with hasOwnProperty and create the node
                        // with defineProperty so any path element becomes a real own key.
                        if (!Object.prototype.hasOwnProperty.call(curr, el)) {
                            Object.defineProperty(curr, el, {
                                value: { _errors: [] },
                                enumerable: true,
                                writable: true,
                                configurable: true,
                            });
                        }
                        const node = curr[el];
                        if (terminal) {
                            node._errors.push(mapper(issue));
                        }
                        curr = node;
                        i++;
                    }
                }
            }
        }
    };
    processError(error);
    return fieldErrors;
}
function treeifyError(error, mapper = (issue) => issue.message) {
    const result = { errors: [] };
    const processError = (error, path = []) => {
        var _a;
        for (const issue of error.issues) {
            if (issue.code === "invalid_union" && issue.errors.length) {
                // regular union error
                issue.errors.map((issues) => processError({ issues }, [...path, ...issue.path]));
            }
            else if (issue.code === "invalid_key") {
                processError({ issues: issue.issues }, [...path, ...issue.path]);
            }
            else if (issue.code === "invalid_element") {
                processError({ issues: issue.issues }, [...path, ...issue.path]);
            }
            else {
                const fullpath = [...path, ...issue.path];
                if (fullpath.length === 0) {
                    result.errors.push(mapper(issue));
                    continue;
                }
                let curr = result;
                let i = 0;
                while (i < fullpath.length) {
                    const el = fullpath[i];
                    const terminal = i === fullpath.length - 1;
                    if (typeof el === "string") {
                        curr.properties ?? (curr.properties = {});
                        // el may collide with an inherited property name ("__proto__",
                        // "constructor", ...); ??= reads the prototype so the node is never
                        // created and curr.errors.push throws. Guard with hasOwnProperty and
                        // create the node with defineProperty so "__proto__" becomes a real
                        // own key rather than invoking the prototype setter.
                        if (!Object.prototype.hasOwnProperty.call(curr.properties, el)) {
                            Object.defineProperty(curr.properties, el, {
                                value: { errors: [] },
                                enumerable: true,
                                writable: true,
                                configurable: true,
                            });
                        }
                        curr = curr.properties[el];
                    }
                    else {
                        curr.items ?? (curr.items = []);
                        (_a = curr.items)[el] ?? (_a[el] = { errors: [] });
                        curr = curr.items[el];
                    }
                    if (terminal) {
                        curr.errors.push(mapper(issue));
                    }
                    i++;
                }
            }
        }
    };
    processError(error);
    return result;
}
/** Format a ZodError as a human-readable string in the following form.
 *
 * From
 *
 * ```ts
 * ZodError {
 *   issues: [
 *     {
 *       expected: 'string',
 *       code: 'invalid_type',
 *       path: [ 'username' ],
 *       message: 'Invalid input: expected string'
 *     },
 *     {
 *       expected: 'number',
 *       code: 'invalid_type',
 *       path: [ 'favoriteNumbers', 1 ],
 *       message: 'Invalid input: expected number'
 *     }
 *   ];
 * }
 * ```
 *
 * to
 *
 * ```
 * username
 *   ✖ Expected number, received string at "username
 * favoriteNumbers[0]
 *   ✖ Invalid input: expected number
 * ```
 */
function toDotPath(_path) {
    const segs = [];
    const path = _path.map((seg) => (typeof seg === "object" ? seg.key : seg));
    for (const seg of path) {
        if (typeof seg === "number")
            segs.push(`[${seg}]`);
        else if (typeof seg === "symbol")
            segs.push(`[${JSON.stringify(String(seg))}]`);
        else if (/[^\w$]/.test(seg))
            segs.push(`[${JSON.stringify(seg)}]`);
        else {
            if (segs.length)
                segs.push(".");
            segs.push(seg);
        }
    }
    return segs.join("");
}
function prettifyError(error) {
    const lines = [];
    // sort by path length
    const issues = [...error.issues].sort((a, b) => (a.path ?? []).length - (b.path ?? []).length);
    // Process each issue
    for (const issue of issues) {
        lines.push(`✖ ${issue.message}`);
        if (issue.path?.length)
            lines.push(`  → at ${toDotPath(issue.path)}`);
    }
    // Convert Map to formatted string
    return lines.join("\n");
}

;// CONCATENATED MODULE: ./node_modules/zod/v4/core/parse.js



// Always both keys, so the `_params` read site in `_parse` sees one object shape rather than two.
function finalizeParams(callee, params) {
    return { callee: params?.callee ?? callee, Err: params?.Err };
}
const _parse = (_Err) => {
    const fn = (schema, value, _ctx, _params) => {
        const ctx = _ctx ? { ..._ctx, async: false } : { async: false };
        const result = schema._zod.run({ value, issues: [] }, ctx);
        if (result instanceof Promise) {
            throw new $ZodAsyncError();
        }
        if (result.issues.length) {
            const e = new (_params?.Err ?? _Err)(result.issues.map((iss) => finalizeIssue(iss, ctx, config())));
            captureStackTrace(e, _params?.callee ?? fn);
            throw e;
        }
        return result.value;
    };
    return fn;
};
const parse_parse = /* @__PURE__*/ _parse($ZodRealError);
const _parseAsync = (_Err) => {
    const fn = async (schema, value, _ctx, params) => {
        const ctx = _ctx ? { ..._ctx, async: true } : { async: true };
        let result = schema._zod.run({ value, issues: [] }, ctx);
        if (result instanceof Promise)
            result = await result;
        if (result.issues.length) {
            const e = new (params?.Err ?? _Err)(result.issues.map((iss) => finalizeIssue(iss, ctx, config())));
            captureStackTrace(e, params?.callee ?? fn);
            throw e;
        }
        return result.value;
    };
    return fn;
};
const parse_parseAsync = /* @__PURE__*/ _parseAsync($ZodRealError);
const _safeParse = (_Err) => (schema, value, _ctx) => {
    const ctx = _ctx ? { ..._ctx, async: false } : { async: false };
    const result = schema._zod.run({ value, issues: [] }, ctx);
    if (result instanceof Promise) {
        throw new $ZodAsyncError();
    }
    return result.issues.length ? failure(_Err, result.issues, ctx) : { success: true, data: result.value };
};
const safeParse = /* @__PURE__*/ _safeParse($ZodRealError);
// the error is built on the first read of `error`: finalizing the issues and constructing the instance is most of a failing parse, and a caller that only branches on `success` never pays it. a getter in the literal keeps this small; the alternative, one shared accessor descriptor plus a hidden state slot, reads ~15% faster but costs ~75 B gzipped in every bundle
function failure(Err, issues, ctx) {
    let error;
    return {
        success: false,
        get error() {
            if (!error) {
                error = new Err(issues.map((iss) => finalizeIssue(iss, ctx, config())));
                // finalizeIssue drops `input`, so the built error holds nothing; keeping the raw issues past this point pins the parsed value for the life of the result
                issues = undefined;
                ctx = undefined;
            }
            return error;
        },
        set error(e) {
            error = e;
            // a replacement makes the getter's branch unreachable, so the captures have to go here too
            issues = undefined;
            ctx = undefined;
        },
    };
}
const _safeParseAsync = (_Err) => async (schema, value, _ctx) => {
    const ctx = _ctx ? { ..._ctx, async: true } : { async: true };
    let result = schema._zod.run({ value, issues: [] }, ctx);
    if (result instanceof Promise)
        result = await result;
    return result.issues.length ? failure(_Err, result.issues, ctx) : { success: true, data: result.value };
};
const safeParseAsync = /* @__PURE__*/ _safeParseAsync($ZodRealError);
// registry mirrors of the compiler's sentinels, so this module never imports the compiler
const COMPILE_INVALID = /* @__PURE__ */ Symbol.for("zod.compile.invalid");
const COMPILE_FALLBACK = /* @__PURE__ */ Symbol.for("zod.compile.fallback");
// Deliberately tiny, because v8 will not inline a body carrying the fallback's object literals and throw. Everything that is not the compiled happy path lives in validateFallback, and that split is worth ~35% on a compiled schema.
const validate = ((schema, value, _ctx) => {
    const validator = schema._zod.bag.validator;
    if (validator !== undefined) {
        if (validator(value) !== COMPILE_INVALID)
            return true;
        // a definite sentinel means the runtime would reject, so skip the re-parse; a ctx can still change the answer
        if (validator.definite === true && _ctx === undefined)
            return false;
    }
    return validateFallback(schema, value, _ctx);
});
function validateFallback(schema, value, _ctx) {
    const ctx = _ctx
        ? { ..._ctx, async: false, abortEarly: true }
        : { async: false, abortEarly: true };
    const fallbackRun = schema._zod.bag.fallbackRun;
    let result;
    if (fallbackRun) {
        // skip nested fast paths on the fallback, so user callbacks keep the at-most-twice bound
        ctx[COMPILE_FALLBACK] = true;
        result = fallbackRun({ value, issues: [] }, ctx);
    }
    else {
        result = schema._zod.run({ value, issues: [] }, ctx);
    }
    if (result instanceof Promise) {
        throw new $ZodAsyncError();
    }
    return result.issues.length === 0;
}
// no fast path: the compiler keeps async parses on the runtime, because a promise-returning callback that is not declared async compiles to a throw
const parse_validateAsync = async (schema, value, _ctx) => {
    const ctx = _ctx
        ? { ..._ctx, async: true, abortEarly: true }
        : { async: true, abortEarly: true };
    let result = schema._zod.run({ value, issues: [] }, ctx);
    if (result instanceof Promise)
        result = await result;
    return result.issues.length === 0;
};
const _encode = (_Err) => {
    const parse = _parse(_Err);
    const fn = (schema, value, _ctx, _params) => {
        const ctx = _ctx ? { ..._ctx, direction: "backward" } : { direction: "backward" };
        return parse(schema, value, ctx, finalizeParams(fn, _params));
    };
    return fn;
};
const encode = /* @__PURE__*/ _encode($ZodRealError);
const _decode = (_Err) => {
    const parse = _parse(_Err);
    const fn = (schema, value, _ctx, _params) => {
        return parse(schema, value, _ctx, finalizeParams(fn, _params));
    };
    return fn;
};
const decode = /* @__PURE__*/ _decode($ZodRealError);
const _encodeAsync = (_Err) => {
    const parseAsync = _parseAsync(_Err);
    const fn = async (schema, value, _ctx, _params) => {
        const ctx = _ctx ? { ..._ctx, direction: "backward" } : { direction: "backward" };
        return (await parseAsync(schema, value, ctx, finalizeParams(fn, _params)));
    };
    return fn;
};
const encodeAsync = /* @__PURE__*/ _encodeAsync($ZodRealError);
const _decodeAsync = (_Err) => {
    const parseAsync = _parseAsync(_Err);
    const fn = async (schema, value, _ctx, _params) => {
        return await parseAsync(schema, value, _ctx, finalizeParams(fn, _params));
    };
    return fn;
};
const decodeAsync = /* @__PURE__*/ _decodeAsync($ZodRealError);
const _safeEncode = (_Err) => (schema, value, _ctx) => {
    const ctx = _ctx ? { ..._ctx, direction: "backward" } : { direction: "backward" };
    return _safeParse(_Err)(schema, value, ctx);
};
const safeEncode = /* @__PURE__*/ _safeEncode($ZodRealError);
const _safeDecode = (_Err) => (schema, value, _ctx) => {
    return _safeParse(_Err)(schema, value, _ctx);
};
const safeDecode = /* @__PURE__*/ _safeDecode($ZodRealError);
const _safeEncodeAsync = (_Err) => async (schema, value, _ctx) => {
    const ctx = _ctx ? { ..._ctx, direction: "backward" } : { direction: "backward" };
    return _safeParseAsync(_Err)(schema, value, ctx);
};
const safeEncodeAsync = /* @__PURE__*/ _safeEncodeAsync($ZodRealError);
const _safeDecodeAsync = (_Err) => async (schema, value, _ctx) => {
    return _safeParseAsync(_Err)(schema, value, _ctx);
};
const safeDecodeAsync = /* @__PURE__*/ _safeDecodeAsync($ZodRealError);

;// CONCATENATED MODULE: ./node_modules/zod/v4/classic/errors.js



/* Prototypes that already carry the lazy helper methods. Seeded with the
 * intrinsics so that `init` on a foreign object — it accepts any object —
 * can never install an accessor onto a prototype we do not own. */
const _installedErrorProtos = /* @__PURE__ */ new WeakSet([Object.prototype, Error.prototype]);
/* Helper methods live as non-enumerable lazy getters on the shared
 * prototype instead of own properties on every instance. On first
 * access the getter allocates the per-instance closure and caches it
 * as a non-enumerable own property, so detached usage still works and
 * the allocation only happens for methods actually touched. */
function _lazyMethod(proto, key, make) {
    Object.defineProperty(proto, key, {
        configurable: true,
        enumerable: false,
        get() {
            const value = make(this);
            Object.defineProperty(this, key, { value, configurable: true, writable: true });
            return value;
        },
        set(value) {
            Object.defineProperty(this, key, { value, configurable: true, writable: true });
        },
    });
}
const errors_initializer = (inst, issues) => {
    $ZodError.init(inst, issues);
    inst.name = "ZodError";
    const proto = Object.getPrototypeOf(inst);
    if (_installedErrorProtos.has(proto))
        return;
    _installedErrorProtos.add(proto);
    _lazyMethod(proto, "format", (self) => (mapper) => formatError(self, mapper));
    _lazyMethod(proto, "flatten", (self) => (mapper) => flattenError(self, mapper));
    _lazyMethod(proto, "addIssue", (self) => (issue) => {
        self.issues.push(issue);
        self.message = JSON.stringify(self.issues, jsonStringifyReplacer, 2);
    });
    _lazyMethod(proto, "addIssues", (self) => (issues) => {
        self.issues.push(...issues);
        self.message = JSON.stringify(self.issues, jsonStringifyReplacer, 2);
    });
    Object.defineProperty(proto, "isEmpty", {
        configurable: true,
        enumerable: false,
        get() {
            return this.issues.length === 0;
        },
    });
};
const ZodError = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("ZodError", errors_initializer)));
const ZodRealError = /*@__PURE__*/ $constructor("ZodError", errors_initializer, undefined, {
    Parent: Error,
});
// /** @deprecated Use `z.core.$ZodErrorMapCtx` instead. */
// export type ErrorMapCtx = core.$ZodErrorMapCtx;

;// CONCATENATED MODULE: ./node_modules/zod/v4/classic/parse.js


const classic_parse_parse = /* @__PURE__ */ _parse(ZodRealError);
const classic_parse_parseAsync = /* @__PURE__ */ _parseAsync(ZodRealError);
const parse_safeParse = /* @__PURE__ */ _safeParse(ZodRealError);
const parse_safeParseAsync = /* @__PURE__ */ _safeParseAsync(ZodRealError);

// Codec functions
const parse_encode = /* @__PURE__ */ _encode(ZodRealError);
const parse_decode = /* @__PURE__ */ _decode(ZodRealError);
const parse_encodeAsync = /* @__PURE__ */ _encodeAsync(ZodRealError);
const parse_decodeAsync = /* @__PURE__ */ _decodeAsync(ZodRealError);
const parse_safeEncode = /* @__PURE__ */ _safeEncode(ZodRealError);
const parse_safeDecode = /* @__PURE__ */ _safeDecode(ZodRealError);
const parse_safeEncodeAsync = /* @__PURE__ */ _safeEncodeAsync(ZodRealError);
const parse_safeDecodeAsync = /* @__PURE__ */ _safeDecodeAsync(ZodRealError);

;// CONCATENATED MODULE: ./node_modules/zod/v4/classic/schemas.js








// Register English as the default locale on first ZodType construction. Hooked into the `ZodType` `$constructor` (rather than a top-level `config(en())` in `external.ts`) so bundlers honoring `sideEffects: false` can't tree-shake it out — see #5953, #5725. An explicit `z.config(z.locales.xx())` call wins regardless of order, since this only sets the default when none is present.
function _ensureDefaultLocale() {
    if (!globalConfig.localeError)
        config(en());
}
// the default memoizer is read by the core container init, which runs before `ZodType.init`, so each container calls this first
function _ensureDefaultMemoizer() {
    if (!globalConfig.memoizer)
        config({ memoizer: memoizer() });
}
const ZodType = /*@__PURE__*/ $constructor("ZodType", (inst, def) => {
    _ensureDefaultLocale();
    $ZodType.init(inst, def);
    inst.def = def;
    inst.type = def.type;
    return inst;
}, {
    check(...chks) {
        const def = this.def;
        return this.clone(mergeDefs(def, {
            checks: [
                ...(def.checks ?? []),
                ...chks.map((ch) => typeof ch === "function" ? { _zod: { check: ch, def: { check: "custom" }, onattach: [] } } : ch),
            ],
        }), { parent: true });
    },
    with(...chks) {
        return this.check(...chks);
    },
    clone(def, params) {
        return clone(this, def, params);
    },
    brand() {
        return this;
    },
    register(reg, meta) {
        reg.add(this, meta);
        return this;
    },
    refine(check, params) {
        return this.check(refine(check, params));
    },
    superRefine(refinement, params) {
        return this.check(superRefine(refinement, params));
    },
    overwrite(fn) {
        return this.check(_overwrite(fn));
    },
    optional() {
        return optional(this);
    },
    exactOptional() {
        return exactOptional(this);
    },
    nullable() {
        return nullable(this);
    },
    nullish() {
        return optional(nullable(this));
    },
    nonoptional(params) {
        return nonoptional(this, params);
    },
    array() {
        return array(this);
    },
    or(arg) {
        return union([this, arg]);
    },
    and(arg) {
        return intersection(this, arg);
    },
    transform(tx) {
        return pipe(this, transform(tx));
    },
    default(d) {
        return schemas_default(this, d);
    },
    prefault(d) {
        return prefault(this, d);
    },
    catch(params) {
        return schemas_catch(this, params);
    },
    pipe(target) {
        return pipe(this, target);
    },
    readonly() {
        return readonly(this);
    },
    describe(description) {
        const cl = this.clone();
        globalRegistry.add(cl, { description });
        return cl;
    },
    meta(...args) {
        // overloaded: meta() returns the registered metadata, meta(data) returns a clone with `data` registered. The mapped type picks up the second overload, so we accept variadic any-args and return `any` to satisfy both at runtime.
        if (args.length === 0)
            return globalRegistry.get(this);
        const cl = this.clone();
        globalRegistry.add(cl, args[0]);
        return cl;
    },
    isOptional() {
        return this.safeParse(undefined).success;
    },
    isNullable() {
        return this.safeParse(null).success;
    },
    apply(fn, ...args) {
        return args.length === 0 ? fn(this) : fn(this, ...args);
    },
    // Overrides core's `~standard` to add `jsonSchema`. Must stay a prototype entry: redefining it per instance demotes instances to dictionary mode.
    get "~standard"() {
        return hide(this, "~standard", {
            ...standardProps(this),
            jsonSchema: {
                input: createStandardJSONSchemaMethod(this, "input"),
                output: createStandardJSONSchemaMethod(this, "output"),
            },
        });
    },
    set "~standard"(value) {
        own(this, "~standard", value);
    },
    parse: function _parse(data, params) {
        return classic_parse_parse(this, data, params, { callee: _parse });
    },
    parseAsync: async function _parseAsync(data, params) {
        return await classic_parse_parseAsync(this, data, params, { callee: _parseAsync });
    },
    safeParse(data, params) {
        return parse_safeParse(this, data, params);
    },
    async safeParseAsync(data, params) {
        return parse_safeParseAsync(this, data, params);
    },
    // `spa` is an alias: same function object as `safeParseAsync`, as before.
    get spa() {
        return this?.safeParseAsync;
    },
    set spa(value) {
        own(this, "spa", value);
    },
    validate(data, params) {
        return validate(this, data, params);
    },
    validateAsync(data, params) {
        return parse_validateAsync(this, data, params);
    },
    encode: function _encode(data, params) {
        return parse_encode(this, data, params, { callee: _encode });
    },
    decode: function _decode(data, params) {
        return parse_decode(this, data, params, { callee: _decode });
    },
    encodeAsync: async function _encodeAsync(data, params) {
        return await parse_encodeAsync(this, data, params, { callee: _encodeAsync });
    },
    decodeAsync: async function _decodeAsync(data, params) {
        return await parse_decodeAsync(this, data, params, { callee: _decodeAsync });
    },
    safeEncode(data, params) {
        return parse_safeEncode(this, data, params);
    },
    safeDecode(data, params) {
        return parse_safeDecode(this, data, params);
    },
    async safeEncodeAsync(data, params) {
        return parse_safeEncodeAsync(this, data, params);
    },
    async safeDecodeAsync(data, params) {
        return parse_safeDecodeAsync(this, data, params);
    },
    toJSONSchema(params) {
        return createToJSONSchemaMethod(this, {})(params);
    },
    // Reads through to the registry on every access, so it must not cache.
    get description() {
        return globalRegistry.get(this)?.description;
    },
    // No setter: `schema._def = x` throws, as it did when `_def` was a non-writable own property.
    get _def() {
        return this._zod.def;
    },
});
/** @internal */
const _ZodString = /*@__PURE__*/ $constructor("_ZodString", (inst, def) => {
    $ZodString.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => stringProcessor(inst, ctx, json, params);
}, 
/*@__PURE__*/ derived({
    format: (inst) => aggregateChecks(inst).format ?? null,
    minLength: (inst) => aggregateChecks(inst).minimum ?? null,
    maxLength: (inst) => aggregateChecks(inst).maximum ?? null,
}, {
    regex(...args) {
        return this.check(_regex(...args));
    },
    includes(...args) {
        return this.check(_includes(...args));
    },
    startsWith(...args) {
        return this.check(_startsWith(...args));
    },
    endsWith(...args) {
        return this.check(_endsWith(...args));
    },
    min(...args) {
        return this.check(_minLength(...args));
    },
    max(...args) {
        return this.check(_maxLength(...args));
    },
    length(...args) {
        return this.check(_length(...args));
    },
    nonempty(...args) {
        return this.check(_minLength(1, ...args));
    },
    lowercase(params) {
        return this.check(_lowercase(params));
    },
    uppercase(params) {
        return this.check(_uppercase(params));
    },
    trim() {
        return this.check(_trim());
    },
    normalize(...args) {
        return this.check(_normalize(...args));
    },
    toLowerCase() {
        return this.check(_toLowerCase());
    },
    toUpperCase() {
        return this.check(_toUpperCase());
    },
    slugify() {
        return this.check(_slugify());
    },
}));
const ZodString = /*@__PURE__*/ $constructor("ZodString", (inst, def) => {
    $ZodString.init(inst, def);
    _ZodString.init(inst, def);
}, {
    email(params) {
        return this.check(_email(ZodEmail, params));
    },
    url(params) {
        return this.check(_url(ZodURL, params));
    },
    jwt(params) {
        return this.check(_jwt(ZodJWT, params));
    },
    emoji(params) {
        return this.check(api_emoji(ZodEmoji, params));
    },
    guid(params) {
        return this.check(_guid(ZodGUID, params));
    },
    uuid(params) {
        return this.check(_uuid(ZodUUID, params));
    },
    uuidv4(params) {
        return this.check(_uuidv4(ZodUUID, params));
    },
    uuidv6(params) {
        return this.check(_uuidv6(ZodUUID, params));
    },
    uuidv7(params) {
        return this.check(_uuidv7(ZodUUID, params));
    },
    nanoid(params) {
        return this.check(_nanoid(ZodNanoID, params));
    },
    cuid(params) {
        return this.check(_cuid(ZodCUID, params));
    },
    cuid2(params) {
        return this.check(_cuid2(ZodCUID2, params));
    },
    ulid(params) {
        return this.check(_ulid(ZodULID, params));
    },
    base64(params) {
        return this.check(_base64(ZodBase64, params));
    },
    base64url(params) {
        return this.check(_base64url(ZodBase64URL, params));
    },
    xid(params) {
        return this.check(_xid(ZodXID, params));
    },
    ksuid(params) {
        return this.check(_ksuid(ZodKSUID, params));
    },
    ipv4(params) {
        return this.check(_ipv4(ZodIPv4, params));
    },
    ipv6(params) {
        return this.check(_ipv6(ZodIPv6, params));
    },
    cidrv4(params) {
        return this.check(_cidrv4(ZodCIDRv4, params));
    },
    cidrv6(params) {
        return this.check(_cidrv6(ZodCIDRv6, params));
    },
    e164(params) {
        return this.check(_e164(ZodE164, params));
    },
    datetime(params) {
        return this.check(_isoDateTime(ZodISODateTime, params));
    },
    date(params) {
        return this.check(_isoDate(ZodISODate, params));
    },
    time(params) {
        return this.check(_isoTime(ZodISOTime, params));
    },
    duration(params) {
        return this.check(_isoDuration(ZodISODuration, params));
    },
});
function schemas_string(params) {
    return _string(ZodString, params);
}
const ZodStringFormat = /*@__PURE__*/ $constructor("ZodStringFormat", (inst, def) => {
    $ZodStringFormat.init(inst, def);
    _ZodString.init(inst, def);
});
const ZodISODateTime = /*@__PURE__*/ $constructor("ZodISODateTime", (inst, def) => {
    $ZodISODateTime.init(inst, def);
    ZodStringFormat.init(inst, def);
});
const ZodISODate = /*@__PURE__*/ $constructor("ZodISODate", (inst, def) => {
    $ZodISODate.init(inst, def);
    ZodStringFormat.init(inst, def);
});
const ZodISOTime = /*@__PURE__*/ $constructor("ZodISOTime", (inst, def) => {
    $ZodISOTime.init(inst, def);
    ZodStringFormat.init(inst, def);
});
const ZodISODuration = /*@__PURE__*/ $constructor("ZodISODuration", (inst, def) => {
    $ZodISODuration.init(inst, def);
    ZodStringFormat.init(inst, def);
});
const ZodEmail = /*@__PURE__*/ $constructor("ZodEmail", (inst, def) => {
    // ZodStringFormat.init(inst, def);
    $ZodEmail.init(inst, def);
    ZodStringFormat.init(inst, def);
});
function schemas_email(params) {
    return core._email(ZodEmail, params);
}
const ZodGUID = /*@__PURE__*/ $constructor("ZodGUID", (inst, def) => {
    // ZodStringFormat.init(inst, def);
    $ZodGUID.init(inst, def);
    ZodStringFormat.init(inst, def);
});
function schemas_guid(params) {
    return core._guid(ZodGUID, params);
}
const ZodUUID = /*@__PURE__*/ $constructor("ZodUUID", (inst, def) => {
    // ZodStringFormat.init(inst, def);
    $ZodUUID.init(inst, def);
    ZodStringFormat.init(inst, def);
});
function schemas_uuid(params) {
    return core._uuid(ZodUUID, params);
}
function uuidv4(params) {
    return core._uuidv4(ZodUUID, params);
}
// ZodUUIDv6
function uuidv6(params) {
    return core._uuidv6(ZodUUID, params);
}
// ZodUUIDv7
function uuidv7(params) {
    return core._uuidv7(ZodUUID, params);
}
const ZodURL = /*@__PURE__*/ $constructor("ZodURL", (inst, def) => {
    // ZodStringFormat.init(inst, def);
    $ZodURL.init(inst, def);
    ZodStringFormat.init(inst, def);
});
function url(params) {
    return _url(ZodURL, params);
}
function httpUrl(params) {
    return core._url(ZodURL, {
        protocol: regexes.httpProtocol,
        hostname: regexes.domain,
        ...util.normalizeParams(params),
    });
}
const ZodEmoji = /*@__PURE__*/ $constructor("ZodEmoji", (inst, def) => {
    // ZodStringFormat.init(inst, def);
    $ZodEmoji.init(inst, def);
    ZodStringFormat.init(inst, def);
});
function schemas_emoji(params) {
    return core._emoji(ZodEmoji, params);
}
const ZodNanoID = /*@__PURE__*/ $constructor("ZodNanoID", (inst, def) => {
    // ZodStringFormat.init(inst, def);
    $ZodNanoID.init(inst, def);
    ZodStringFormat.init(inst, def);
});
function schemas_nanoid(params) {
    return core._nanoid(ZodNanoID, params);
}
/**
 * @deprecated CUID v1 is deprecated by its authors due to information leakage
 * (timestamps embedded in the id). Use {@link ZodCUID2} instead.
 * See https://github.com/paralleldrive/cuid.
 */
const ZodCUID = /*@__PURE__*/ $constructor("ZodCUID", (inst, def) => {
    // ZodStringFormat.init(inst, def);
    $ZodCUID.init(inst, def);
    ZodStringFormat.init(inst, def);
});
/**
 * Validates a CUID v1 string.
 *
 * @deprecated CUID v1 is deprecated by its authors due to information leakage
 * (timestamps embedded in the id). Use {@link cuid2 | `z.cuid2()`} instead.
 * See https://github.com/paralleldrive/cuid.
 */
function schemas_cuid(params) {
    return core._cuid(ZodCUID, params);
}
const ZodCUID2 = /*@__PURE__*/ $constructor("ZodCUID2", (inst, def) => {
    // ZodStringFormat.init(inst, def);
    $ZodCUID2.init(inst, def);
    ZodStringFormat.init(inst, def);
});
function schemas_cuid2(params) {
    return core._cuid2(ZodCUID2, params);
}
const ZodULID = /*@__PURE__*/ $constructor("ZodULID", (inst, def) => {
    // ZodStringFormat.init(inst, def);
    $ZodULID.init(inst, def);
    ZodStringFormat.init(inst, def);
});
function schemas_ulid(params) {
    return core._ulid(ZodULID, params);
}
const ZodXID = /*@__PURE__*/ $constructor("ZodXID", (inst, def) => {
    // ZodStringFormat.init(inst, def);
    $ZodXID.init(inst, def);
    ZodStringFormat.init(inst, def);
});
function schemas_xid(params) {
    return core._xid(ZodXID, params);
}
const ZodKSUID = /*@__PURE__*/ $constructor("ZodKSUID", (inst, def) => {
    // ZodStringFormat.init(inst, def);
    $ZodKSUID.init(inst, def);
    ZodStringFormat.init(inst, def);
});
function schemas_ksuid(params) {
    return core._ksuid(ZodKSUID, params);
}
const ZodIPv4 = /*@__PURE__*/ $constructor("ZodIPv4", (inst, def) => {
    // ZodStringFormat.init(inst, def);
    $ZodIPv4.init(inst, def);
    ZodStringFormat.init(inst, def);
});
function schemas_ipv4(params) {
    return core._ipv4(ZodIPv4, params);
}
const ZodMAC = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("ZodMAC", (inst, def) => {
    // ZodStringFormat.init(inst, def);
    core.$ZodMAC.init(inst, def);
    ZodStringFormat.init(inst, def);
})));
function schemas_mac(params) {
    return core._mac(ZodMAC, params);
}
const ZodIPv6 = /*@__PURE__*/ $constructor("ZodIPv6", (inst, def) => {
    // ZodStringFormat.init(inst, def);
    $ZodIPv6.init(inst, def);
    ZodStringFormat.init(inst, def);
});
function schemas_ipv6(params) {
    return core._ipv6(ZodIPv6, params);
}
const ZodCIDRv4 = /*@__PURE__*/ $constructor("ZodCIDRv4", (inst, def) => {
    $ZodCIDRv4.init(inst, def);
    ZodStringFormat.init(inst, def);
});
function schemas_cidrv4(params) {
    return core._cidrv4(ZodCIDRv4, params);
}
const ZodCIDRv6 = /*@__PURE__*/ $constructor("ZodCIDRv6", (inst, def) => {
    $ZodCIDRv6.init(inst, def);
    ZodStringFormat.init(inst, def);
});
function schemas_cidrv6(params) {
    return core._cidrv6(ZodCIDRv6, params);
}
const ZodBase64 = /*@__PURE__*/ $constructor("ZodBase64", (inst, def) => {
    // ZodStringFormat.init(inst, def);
    $ZodBase64.init(inst, def);
    ZodStringFormat.init(inst, def);
});
function schemas_base64(params) {
    return core._base64(ZodBase64, params);
}
const ZodBase64URL = /*@__PURE__*/ $constructor("ZodBase64URL", (inst, def) => {
    // ZodStringFormat.init(inst, def);
    $ZodBase64URL.init(inst, def);
    ZodStringFormat.init(inst, def);
});
function schemas_base64url(params) {
    return core._base64url(ZodBase64URL, params);
}
const ZodE164 = /*@__PURE__*/ $constructor("ZodE164", (inst, def) => {
    // ZodStringFormat.init(inst, def);
    $ZodE164.init(inst, def);
    ZodStringFormat.init(inst, def);
});
function schemas_e164(params) {
    return core._e164(ZodE164, params);
}
const ZodCreditCard = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("ZodCreditCard", (inst, def) => {
    core.$ZodCreditCard.init(inst, def);
    ZodStringFormat.init(inst, def);
})));
function schemas_creditCard(params) {
    return core._creditCard(ZodCreditCard, params);
}
const ZodIBAN = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("ZodIBAN", (inst, def) => {
    core.$ZodIBAN.init(inst, def);
    ZodStringFormat.init(inst, def);
})));
function schemas_iban(params) {
    return core._iban(ZodIBAN, params);
}
const ZodJWT = /*@__PURE__*/ $constructor("ZodJWT", (inst, def) => {
    // ZodStringFormat.init(inst, def);
    $ZodJWT.init(inst, def);
    ZodStringFormat.init(inst, def);
});
function jwt(params) {
    return core._jwt(ZodJWT, params);
}
const ZodCustomStringFormat = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("ZodCustomStringFormat", (inst, def) => {
    // ZodStringFormat.init(inst, def);
    core.$ZodCustomStringFormat.init(inst, def);
    ZodStringFormat.init(inst, def);
})));
function stringFormat(format, fnOrRegex, _params = {}) {
    return core._stringFormat(ZodCustomStringFormat, format, fnOrRegex, _params);
}
function schemas_hostname(_params) {
    return core._stringFormat(ZodCustomStringFormat, "hostname", regexes.hostname, _params);
}
function schemas_hex(_params) {
    return core._stringFormat(ZodCustomStringFormat, "hex", regexes.hex, _params);
}
function schemas_currencyCode(_params) {
    return core._stringFormat(ZodCustomStringFormat, "currency_code", regexes.currencyCode, _params);
}
function hash(alg, params) {
    const enc = params?.enc ?? "hex";
    const format = `${alg}_${enc}`;
    const regex = core.regexes[format];
    if (!regex)
        throw new Error(`Unrecognized hash format: ${format}`);
    return core._stringFormat(ZodCustomStringFormat, format, regex, params);
}
const ZodNumber = /*@__PURE__*/ $constructor("ZodNumber", (inst, def) => {
    $ZodNumber.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => numberProcessor(inst, ctx, json, params);
    inst.isFinite = true;
}, 
/*@__PURE__*/ derived({
    minValue: (inst) => {
        const { minimum, exclusiveMinimum } = aggregateChecks(inst);
        return Math.max(minimum ?? Number.NEGATIVE_INFINITY, exclusiveMinimum ?? Number.NEGATIVE_INFINITY);
    },
    maxValue: (inst) => {
        const { maximum, exclusiveMaximum } = aggregateChecks(inst);
        return Math.min(maximum ?? Number.POSITIVE_INFINITY, exclusiveMaximum ?? Number.POSITIVE_INFINITY);
    },
    isInt: (inst) => {
        const { isInt, multipleOf } = aggregateChecks(inst);
        return !!isInt || !!multipleOf?.some(Number.isSafeInteger);
    },
    format: (inst) => aggregateChecks(inst).format ?? null,
}, {
    gt(value, params) {
        return this.check(_gt(value, params));
    },
    gte(value, params) {
        return this.check(_gte(value, params));
    },
    min(value, params) {
        return this.check(_gte(value, params));
    },
    lt(value, params) {
        return this.check(_lt(value, params));
    },
    lte(value, params) {
        return this.check(_lte(value, params));
    },
    max(value, params) {
        return this.check(_lte(value, params));
    },
    int(params) {
        return this.check(schemas_int(params));
    },
    safe(params) {
        return this.check(schemas_int(params));
    },
    positive(params) {
        return this.check(_gt(0, params));
    },
    nonnegative(params) {
        return this.check(_gte(0, params));
    },
    negative(params) {
        return this.check(_lt(0, params));
    },
    nonpositive(params) {
        return this.check(_lte(0, params));
    },
    multipleOf(value, params) {
        return this.check(_multipleOf(value, params));
    },
    step(value, params) {
        return this.check(_multipleOf(value, params));
    },
    finite() {
        return this;
    },
}));
function schemas_number(params) {
    return _number(ZodNumber, params);
}
const ZodNumberFormat = /*@__PURE__*/ $constructor("ZodNumberFormat", (inst, def) => {
    $ZodNumberFormat.init(inst, def);
    ZodNumber.init(inst, def);
});
function schemas_int(params) {
    return _int(ZodNumberFormat, params);
}
function float32(params) {
    return core._float32(ZodNumberFormat, params);
}
function float64(params) {
    return core._float64(ZodNumberFormat, params);
}
function int32(params) {
    return core._int32(ZodNumberFormat, params);
}
function uint32(params) {
    return core._uint32(ZodNumberFormat, params);
}
const ZodBoolean = /*@__PURE__*/ $constructor("ZodBoolean", (inst, def) => {
    $ZodBoolean.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => booleanProcessor(inst, ctx, json, params);
});
function schemas_boolean(params) {
    return _boolean(ZodBoolean, params);
}
const ZodBigInt = /*@__PURE__*/ $constructor("ZodBigInt", (inst, def) => {
    $ZodBigInt.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => bigintProcessor(inst, ctx, json, params);
}, 
/*@__PURE__*/ derived({
    minValue: (inst) => aggregateChecks(inst).minimum ?? null,
    maxValue: (inst) => aggregateChecks(inst).maximum ?? null,
    format: (inst) => aggregateChecks(inst).format ?? null,
}, {
    gte(value, params) {
        return this.check(_gte(value, params));
    },
    min(value, params) {
        return this.check(_gte(value, params));
    },
    gt(value, params) {
        return this.check(_gt(value, params));
    },
    lt(value, params) {
        return this.check(_lt(value, params));
    },
    lte(value, params) {
        return this.check(_lte(value, params));
    },
    max(value, params) {
        return this.check(_lte(value, params));
    },
    positive(params) {
        return this.check(_gt(BigInt(0), params));
    },
    negative(params) {
        return this.check(_lt(BigInt(0), params));
    },
    nonpositive(params) {
        return this.check(_lte(BigInt(0), params));
    },
    nonnegative(params) {
        return this.check(_gte(BigInt(0), params));
    },
    multipleOf(value, params) {
        return this.check(_multipleOf(value, params));
    },
}));
function schemas_bigint(params) {
    return core._bigint(ZodBigInt, params);
}
const ZodBigIntFormat = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("ZodBigIntFormat", (inst, def) => {
    core.$ZodBigIntFormat.init(inst, def);
    ZodBigInt.init(inst, def);
})));
function int64(params) {
    return core._int64(ZodBigIntFormat, params);
}
function uint64(params) {
    return core._uint64(ZodBigIntFormat, params);
}
const ZodSymbol = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("ZodSymbol", (inst, def) => {
    core.$ZodSymbol.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => processors.symbolProcessor(inst, ctx, json, params);
})));
function symbol(params) {
    return core._symbol(ZodSymbol, params);
}
const ZodUndefined = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("ZodUndefined", (inst, def) => {
    core.$ZodUndefined.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => processors.undefinedProcessor(inst, ctx, json, params);
})));
function schemas_undefined(params) {
    return core._undefined(ZodUndefined, params);
}

const ZodNull = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("ZodNull", (inst, def) => {
    core.$ZodNull.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => processors.nullProcessor(inst, ctx, json, params);
})));
function schemas_null(params) {
    return core._null(ZodNull, params);
}

const ZodAny = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("ZodAny", (inst, def) => {
    core.$ZodAny.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => processors.anyProcessor(inst, ctx, json, params);
})));
function any() {
    return core._any(ZodAny);
}
const ZodUnknown = /*@__PURE__*/ $constructor("ZodUnknown", (inst, def) => {
    $ZodUnknown.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => unknownProcessor(inst, ctx, json, params);
});
function unknown() {
    return _unknown(ZodUnknown);
}
const ZodNever = /*@__PURE__*/ $constructor("ZodNever", (inst, def) => {
    $ZodNever.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => neverProcessor(inst, ctx, json, params);
});
function never(params) {
    return _never(ZodNever, params);
}
const ZodVoid = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("ZodVoid", (inst, def) => {
    core.$ZodVoid.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => processors.voidProcessor(inst, ctx, json, params);
})));
function schemas_void(params) {
    return core._void(ZodVoid, params);
}

const ZodDate = /*@__PURE__*/ $constructor("ZodDate", (inst, def) => {
    $ZodDate.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => dateProcessor(inst, ctx, json, params);
    inst.min = (value, params) => inst.check(_gte(value, params));
    inst.max = (value, params) => inst.check(_lte(value, params));
}, 
/*@__PURE__*/ derived({
    minDate: (inst) => {
        const { minimum } = aggregateChecks(inst);
        return minimum ? new Date(minimum) : null;
    },
    maxDate: (inst) => {
        const { maximum } = aggregateChecks(inst);
        return maximum ? new Date(maximum) : null;
    },
}, {}));
function schemas_date(params) {
    return core._date(ZodDate, params);
}
const ZodArray = /*@__PURE__*/ $constructor("ZodArray", (inst, def) => {
    _ensureDefaultMemoizer();
    $ZodArray.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => arrayProcessor(inst, ctx, json, params);
    inst.element = def.element;
}, {
    min(n, params) {
        return this.check(_minLength(n, params));
    },
    nonempty(params) {
        return this.check(_minLength(1, params));
    },
    max(n, params) {
        return this.check(_maxLength(n, params));
    },
    length(n, params) {
        return this.check(_length(n, params));
    },
    unwrap() {
        return this.element;
    },
});
function array(element, params) {
    return _array(ZodArray, element, params);
}
// .keyof
function keyof(schema) {
    const shape = schema._zod.def.shape;
    return schemas_enum(Object.keys(shape));
}
const ZodObject = /*@__PURE__*/ $constructor("ZodObject", (inst, def) => {
    _ensureDefaultMemoizer();
    $ZodObjectJIT.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => objectProcessor(inst, ctx, json, params);
    installLazyProp(inst, "shape", (self) => self._zod.def.shape, false);
}, {
    keyof() {
        return schemas_enum(Object.keys(this._zod.def.shape));
    },
    catchall(catchall) {
        // `mergeDefs` rather than a spread: spreading reads `shape`, and resolving it can mint a whole fresh subtree
        return this.clone(mergeDefs(this._zod.def, { catchall: catchall }));
    },
    passthrough() {
        return this.clone(mergeDefs(this._zod.def, { catchall: unknown() }));
    },
    loose() {
        return this.clone(mergeDefs(this._zod.def, { catchall: unknown() }));
    },
    strict() {
        return this.clone(mergeDefs(this._zod.def, { catchall: never() }));
    },
    strip() {
        return this.clone(mergeDefs(this._zod.def, { catchall: undefined }));
    },
    extend(incoming) {
        return extend(this, incoming);
    },
    safeExtend(incoming) {
        return safeExtend(this, incoming);
    },
    merge(other) {
        return merge(this, other);
    },
    pick(mask) {
        return pick(this, mask);
    },
    omit(mask) {
        return omit(this, mask);
    },
    partial(...args) {
        return partial(ZodOptional, this, args[0]);
    },
    exactPartial(...args) {
        return partial(ZodExactOptional, this, args[0], "exactPartial");
    },
    required(...args) {
        return required(ZodNonOptional, this, args[0]);
    },
});
function object(shape, params) {
    const def = {
        type: "object",
        shape: shape ?? {},
        ...normalizeParams(params),
    };
    return new ZodObject(def);
}
// strictObject
function strictObject(shape, params) {
    return new ZodObject({
        type: "object",
        shape,
        catchall: never(),
        ...normalizeParams(params),
    });
}
// looseObject
function looseObject(shape, params) {
    return new ZodObject({
        type: "object",
        shape,
        catchall: unknown(),
        ...normalizeParams(params),
    });
}
const ZodUnion = /*@__PURE__*/ $constructor("ZodUnion", (inst, def) => {
    $ZodUnion.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => unionProcessor(inst, ctx, json, params);
    inst.options = def.options;
});
function union(options, params) {
    return new ZodUnion({
        type: "union",
        options: options,
        ...normalizeParams(params),
    });
}
const ZodXor = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("ZodXor", (inst, def) => {
    ZodUnion.init(inst, def);
    core.$ZodXor.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => processors.unionProcessor(inst, ctx, json, params);
    inst.options = def.options;
})));
/** Creates an exclusive union (XOR) where exactly one option must match.
 * Unlike regular unions that succeed when any option matches, xor fails if
 * zero or more than one option matches the input. */
function xor(options, params) {
    return new ZodXor({
        type: "union",
        options: options,
        inclusive: false,
        ...util.normalizeParams(params),
    });
}
const ZodDiscriminatedUnion = /*@__PURE__*/ $constructor("ZodDiscriminatedUnion", (inst, def) => {
    ZodUnion.init(inst, def);
    $ZodDiscriminatedUnion.init(inst, def);
});
function discriminatedUnion(discriminator, options, params) {
    // const [options, params] = args;
    return new ZodDiscriminatedUnion({
        type: "union",
        options: options,
        discriminator,
        ...normalizeParams(params),
    });
}
const ZodIntersection = /*@__PURE__*/ $constructor("ZodIntersection", (inst, def) => {
    $ZodIntersection.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => intersectionProcessor(inst, ctx, json, params);
});
function intersection(left, right) {
    return new ZodIntersection({
        type: "intersection",
        left: left,
        right: right,
    });
}
const ZodTuple = /*@__PURE__*/ $constructor("ZodTuple", (inst, def) => {
    _ensureDefaultMemoizer();
    $ZodTuple.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => tupleProcessor(inst, ctx, json, params);
}, {
    rest(rest) {
        return this.clone({
            ...this._zod.def,
            rest: rest,
        });
    },
    partial() {
        const def = this._zod.def;
        // a refinement was authored against the full arity; partialing would run it on a shorter array
        if (def.checks?.length)
            throw new Error(".partial() cannot be used on tuple schemas containing refinements");
        return this.clone({
            ...def,
            items: def.items.map((item) => new ZodOptional({ type: "optional", innerType: item })),
        });
    },
});
function tuple(items, _paramsOrRest, _params) {
    const hasRest = _paramsOrRest instanceof core.$ZodType;
    const params = hasRest ? _params : _paramsOrRest;
    const rest = hasRest ? _paramsOrRest : null;
    return new ZodTuple({
        type: "tuple",
        items: items,
        rest,
        ...util.normalizeParams(params),
    });
}
const ZodRecord = /*@__PURE__*/ $constructor("ZodRecord", (inst, def) => {
    _ensureDefaultMemoizer();
    $ZodRecord.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => recordProcessor(inst, ctx, json, params);
    inst.keyType = def.keyType;
    inst.valueType = def.valueType;
});
function record(keyType, valueType, params) {
    // v3-compat: z.record(valueType, params?) — defaults keyType to z.string()
    if (!valueType || !valueType._zod) {
        return new ZodRecord({
            type: "record",
            keyType: schemas_string(),
            valueType: keyType,
            ...normalizeParams(valueType),
        });
    }
    return new ZodRecord({
        type: "record",
        keyType,
        valueType: valueType,
        ...normalizeParams(params),
    });
}
// type alksjf = core.output<core.$ZodRecordKey>;
function partialRecord(keyType, valueType, params) {
    return new ZodRecord({
        type: "record",
        keyType,
        valueType: valueType,
        ...util.normalizeParams(params),
        partial: true,
    });
}
function looseRecord(keyType, valueType, params) {
    return new ZodRecord({
        type: "record",
        keyType,
        valueType: valueType,
        mode: "loose",
        ...util.normalizeParams(params),
    });
}
const ZodMap = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("ZodMap", (inst, def) => {
    _ensureDefaultMemoizer();
    core.$ZodMap.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => processors.mapProcessor(inst, ctx, json, params);
    inst.keyType = def.keyType;
    inst.valueType = def.valueType;
    inst.min = (...args) => inst.check(core._minSize(...args));
    inst.nonempty = (params) => inst.check(core._minSize(1, params));
    inst.max = (...args) => inst.check(core._maxSize(...args));
    inst.size = (...args) => inst.check(core._size(...args));
})));
function map(keyType, valueType, params) {
    return new ZodMap({
        type: "map",
        keyType: keyType,
        valueType: valueType,
        ...util.normalizeParams(params),
    });
}
const ZodSet = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("ZodSet", (inst, def) => {
    _ensureDefaultMemoizer();
    core.$ZodSet.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => processors.setProcessor(inst, ctx, json, params);
    inst.min = (...args) => inst.check(core._minSize(...args));
    inst.nonempty = (params) => inst.check(core._minSize(1, params));
    inst.max = (...args) => inst.check(core._maxSize(...args));
    inst.size = (...args) => inst.check(core._size(...args));
})));
function set(valueType, params) {
    return new ZodSet({
        type: "set",
        valueType: valueType,
        ...util.normalizeParams(params),
    });
}
const ZodEnum = /*@__PURE__*/ $constructor("ZodEnum", (inst, def) => {
    $ZodEnum.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => enumProcessor(inst, ctx, json, params);
    inst.enum = def.entries;
    // reuse the parsed value set so a numeric TS enum's reverse-mapping keys stay out
    inst.options = [...inst._zod.values];
    const keys = new Set(Object.keys(def.entries));
    inst.extract = (values, params) => {
        const newEntries = {};
        for (const value of values) {
            if (keys.has(value)) {
                newEntries[value] = def.entries[value];
            }
            else
                throw new Error(`Key ${value} not found in enum`);
        }
        return new ZodEnum({
            ...def,
            checks: [],
            ...normalizeParams(params),
            entries: newEntries,
        });
    };
    inst.exclude = (values, params) => {
        const newEntries = { ...def.entries };
        for (const value of values) {
            if (keys.has(value)) {
                delete newEntries[value];
            }
            else
                throw new Error(`Key ${value} not found in enum`);
        }
        return new ZodEnum({
            ...def,
            checks: [],
            ...normalizeParams(params),
            entries: newEntries,
        });
    };
});
function schemas_enum(values, params) {
    const entries = Array.isArray(values) ? Object.fromEntries(values.map((v) => [v, v])) : values;
    return new ZodEnum({
        type: "enum",
        entries,
        ...normalizeParams(params),
    });
}

/** @deprecated This API has been merged into `z.enum()`. Use `z.enum()` instead.
 *
 * ```ts
 * enum Colors { red, green, blue }
 * z.enum(Colors);
 * ```
 */
function nativeEnum(entries, params) {
    return new ZodEnum({
        type: "enum",
        entries,
        ...util.normalizeParams(params),
    });
}
const ZodLiteral = /*@__PURE__*/ $constructor("ZodLiteral", (inst, def) => {
    $ZodLiteral.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => literalProcessor(inst, ctx, json, params);
    inst.values = new Set(def.values);
    Object.defineProperty(inst, "value", {
        get() {
            if (def.values.length > 1) {
                throw new Error("This schema contains multiple valid literal values. Use `.values` instead.");
            }
            return def.values[0];
        },
    });
});
function literal(value, params) {
    return new ZodLiteral({
        type: "literal",
        values: Array.isArray(value) ? value : [value],
        ...normalizeParams(params),
    });
}
const ZodFile = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("ZodFile", (inst, def) => {
    core.$ZodFile.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => processors.fileProcessor(inst, ctx, json, params);
    inst.min = (size, params) => inst.check(core._minSize(size, params));
    inst.max = (size, params) => inst.check(core._maxSize(size, params));
    inst.mime = (types, params) => inst.check(core._mime(Array.isArray(types) ? types : [types], params));
})));
function file(params) {
    return core._file(ZodFile, params);
}
const ZodTransform = /*@__PURE__*/ $constructor("ZodTransform", (inst, def) => {
    _ensureDefaultMemoizer();
    $ZodTransform.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => transformProcessor(inst, ctx, json, params);
    inst._zod.parse = (payload, _ctx) => {
        if (_ctx.direction === "backward") {
            throw new $ZodEncodeError(inst.constructor.name);
        }
        payload.addIssue = (issue) => {
            if (typeof issue === "string") {
                payload.issues.push(util_issue(issue, payload.value, def));
            }
            else {
                // for Zod 3 backwards compatibility
                const _issue = issue;
                if (_issue.fatal)
                    _issue.continue = false;
                _issue.code ?? (_issue.code = "custom");
                if (!("input" in _issue))
                    _issue.input = payload.value;
                _issue.inst ?? (_issue.inst = inst);
                // _issue.continue ??= true;
                payload.issues.push(util_issue(_issue));
            }
        };
        const output = def.transform(payload.value, payload);
        if (output instanceof Promise) {
            return output.then((output) => {
                payload.value = output;
                return payload;
            });
        }
        payload.value = output;
        return payload;
    };
});
function transform(fn) {
    return new ZodTransform({
        type: "transform",
        transform: fn,
    });
}
const ZodOptional = /*@__PURE__*/ $constructor("ZodOptional", (inst, def) => {
    $ZodOptional.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => optionalProcessor(inst, ctx, json, params);
    inst.unwrap = () => inst._zod.def.innerType;
});
function optional(innerType) {
    return new ZodOptional({
        type: "optional",
        innerType: innerType,
    });
}
const ZodExactOptional = /*@__PURE__*/ $constructor("ZodExactOptional", (inst, def) => {
    $ZodExactOptional.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => optionalProcessor(inst, ctx, json, params);
    inst.unwrap = () => inst._zod.def.innerType;
});
function exactOptional(innerType) {
    return new ZodExactOptional({
        type: "optional",
        innerType: innerType,
    });
}
const ZodNullable = /*@__PURE__*/ $constructor("ZodNullable", (inst, def) => {
    $ZodNullable.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => nullableProcessor(inst, ctx, json, params);
    inst.unwrap = () => inst._zod.def.innerType;
});
function nullable(innerType) {
    return new ZodNullable({
        type: "nullable",
        innerType: innerType,
    });
}
// nullish
function schemas_nullish(innerType) {
    return optional(nullable(innerType));
}
const ZodDefault = /*@__PURE__*/ $constructor("ZodDefault", (inst, def) => {
    $ZodDefault.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => defaultProcessor(inst, ctx, json, params);
    inst.unwrap = () => inst._zod.def.innerType;
    inst.removeDefault = inst.unwrap;
});
function schemas_default(innerType, defaultValue) {
    return new ZodDefault({
        type: "default",
        innerType: innerType,
        get defaultValue() {
            return typeof defaultValue === "function" ? defaultValue() : shallowClone(defaultValue);
        },
    });
}
const ZodPrefault = /*@__PURE__*/ $constructor("ZodPrefault", (inst, def) => {
    $ZodPrefault.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => prefaultProcessor(inst, ctx, json, params);
    inst.unwrap = () => inst._zod.def.innerType;
});
function prefault(innerType, defaultValue) {
    return new ZodPrefault({
        type: "prefault",
        innerType: innerType,
        get defaultValue() {
            return typeof defaultValue === "function" ? defaultValue() : shallowClone(defaultValue);
        },
    });
}
const ZodNonOptional = /*@__PURE__*/ $constructor("ZodNonOptional", (inst, def) => {
    $ZodNonOptional.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => nonoptionalProcessor(inst, ctx, json, params);
    inst.unwrap = () => inst._zod.def.innerType;
});
function nonoptional(innerType, params) {
    return new ZodNonOptional({
        type: "nonoptional",
        innerType: innerType,
        ...normalizeParams(params),
    });
}
const ZodSuccess = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("ZodSuccess", (inst, def) => {
    core.$ZodSuccess.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => processors.successProcessor(inst, ctx, json, params);
    inst.unwrap = () => inst._zod.def.innerType;
})));
function success(innerType) {
    return new ZodSuccess({
        type: "success",
        innerType: innerType,
    });
}
const ZodCatch = /*@__PURE__*/ $constructor("ZodCatch", (inst, def) => {
    $ZodCatch.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => catchProcessor(inst, ctx, json, params);
    inst.unwrap = () => inst._zod.def.innerType;
    inst.removeCatch = inst.unwrap;
});
function schemas_catch(innerType, catchValue) {
    return new ZodCatch({
        type: "catch",
        innerType: innerType,
        catchValue: (typeof catchValue === "function" ? catchValue : constantCatch(catchValue)),
    });
}

const ZodNaN = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("ZodNaN", (inst, def) => {
    core.$ZodNaN.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => processors.nanProcessor(inst, ctx, json, params);
})));
function nan(params) {
    return core._nan(ZodNaN, params);
}
const ZodPipe = /*@__PURE__*/ $constructor("ZodPipe", (inst, def) => {
    $ZodPipe.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => pipeProcessor(inst, ctx, json, params);
    inst.in = def.in;
    inst.out = def.out;
});
function pipe(in_, out) {
    return new ZodPipe({
        type: "pipe",
        in: in_,
        out: out,
        // ...util.normalizeParams(params),
    });
}
const ZodCodec = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("ZodCodec", (inst, def) => {
    ZodPipe.init(inst, def);
    core.$ZodCodec.init(inst, def);
})));
function codec(in_, out, params) {
    return new ZodCodec({
        type: "pipe",
        in: in_,
        out: out,
        transform: params.decode,
        reverseTransform: params.encode,
    });
}
function invertCodec(codec) {
    const def = codec._zod.def;
    return new ZodCodec({
        type: "pipe",
        in: def.out,
        out: def.in,
        transform: def.reverseTransform,
        reverseTransform: def.transform,
    });
}
const ZodPreprocess = /*@__PURE__*/ $constructor("ZodPreprocess", (inst, def) => {
    ZodPipe.init(inst, def);
    $ZodPreprocess.init(inst, def);
});
const ZodReadonly = /*@__PURE__*/ $constructor("ZodReadonly", (inst, def) => {
    $ZodReadonly.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => readonlyProcessor(inst, ctx, json, params);
    inst.unwrap = () => inst._zod.def.innerType;
});
function readonly(innerType) {
    return new ZodReadonly({
        type: "readonly",
        innerType: innerType,
    });
}
const ZodTemplateLiteral = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("ZodTemplateLiteral", (inst, def) => {
    core.$ZodTemplateLiteral.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => processors.templateLiteralProcessor(inst, ctx, json, params);
})));
function templateLiteral(parts, params) {
    return new ZodTemplateLiteral({
        type: "template_literal",
        parts,
        ...util.normalizeParams(params),
    });
}
const ZodLazy = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("ZodLazy", (inst, def) => {
    core.$ZodLazy.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => processors.lazyProcessor(inst, ctx, json, params);
    inst.unwrap = () => inst._zod.def.getter();
})));
function lazy(getter) {
    return new ZodLazy({
        type: "lazy",
        getter: getter,
    });
}
const ZodPromise = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("ZodPromise", (inst, def) => {
    core.$ZodPromise.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => processors.promiseProcessor(inst, ctx, json, params);
    inst.unwrap = () => inst._zod.def.innerType;
})));
function promise(innerType) {
    return new ZodPromise({
        type: "promise",
        innerType: innerType,
    });
}
const ZodFunction = /*@__PURE__*/ (/* unused pure expression or super */ null && (core.$constructor("ZodFunction", (inst, def) => {
    core.$ZodFunction.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => processors.functionProcessor(inst, ctx, json, params);
})));
function _function(params) {
    return new ZodFunction({
        type: "function",
        input: Array.isArray(params?.input) ? tuple(params?.input) : (params?.input ?? array(unknown())),
        output: params?.output ?? unknown(),
    });
}

const ZodCustom = /*@__PURE__*/ $constructor("ZodCustom", (inst, def) => {
    $ZodCustom.init(inst, def);
    ZodType.init(inst, def);
    inst._zod.processJSONSchema = (ctx, json, params) => customProcessor(inst, ctx, json, params);
});
// custom checks
function check(fn) {
    const ch = new core.$ZodCheck({
        check: "custom",
        // ...util.normalizeParams(params),
    });
    ch._zod.check = fn;
    return ch;
}
function custom(fn, _params) {
    return core._custom(ZodCustom, fn ?? (() => true), _params);
}
function refine(fn, _params = {}) {
    return _refine(ZodCustom, fn, _params);
}
// superRefine
function superRefine(fn, params) {
    return _superRefine(fn, params);
}
// Re-export describe and meta from core
const schemas_describe = describe;
const schemas_meta = meta;
const ZodInstanceOf = /*@__PURE__*/ $constructor("ZodInstanceOf", (inst, def) => {
    ZodCustom.init(inst, def);
}, {
    properties(shape, params) {
        // asserts in place, so the narrowed output type is truthful without a wrapper
        return this.check(_properties(shape, params));
    },
});
function _instanceof(cls, params = {}) {
    const inst = new ZodInstanceOf({
        type: "custom",
        check: "custom",
        fn: (data) => data instanceof cls,
        abort: true,
        ...util.normalizeParams(params),
    });
    inst._zod.bag.Class = cls;
    // Override check to emit invalid_type instead of custom
    inst._zod.check = (payload) => {
        if (!(payload.value instanceof cls)) {
            payload.issues.push({
                code: "invalid_type",
                expected: cls.name,
                input: payload.value,
                inst,
                path: [...(inst._zod.def.path ?? [])],
            });
        }
    };
    return inst;
}

// stringbool
const stringbool = (...args) => core._stringbool({
    Codec: ZodCodec,
    Boolean: ZodBoolean,
    String: ZodString,
}, ...args);
function json(params) {
    const jsonSchema = lazy(() => {
        return union([schemas_string(params), schemas_number(), schemas_boolean(), schemas_null(), array(jsonSchema), record(schemas_string(), jsonSchema)]);
    });
    return jsonSchema;
}
// preprocess
function preprocess(fn, schema) {
    return new ZodPreprocess({
        type: "pipe",
        in: transform(fn),
        out: schema,
    });
}

;// CONCATENATED MODULE: ./lib/vast/schemas/foreign.js

// Open on what we receive: a field that is missing, null or of another type is "not known", and
// never breaks the whole answer.
function orInText(schema) {
    return preprocess((value) => (typeof value === "string" && value.trim() !== "" ? Number(value) : value), schema);
}
/** A number. Numbers in strings were seen; null is not one. */
const aNumber = orInText(schemas_number());
/** The id of an instance or an offer, which stands in paths: whole and positive. */
const anId = orInText(schemas_int().positive());
/** The same, or undefined when the service did not give one. */
const maybeId = anId.optional().catch(undefined);
/** A price or a cost. One below zero is none: it would make room for others. */
const anAmount = orInText(schemas_number().nonnegative());
/** The same, or undefined when the service did not give one. */
const maybeAmount = anAmount.optional().catch(undefined);
/** A number, or undefined when the service did not give one. */
const maybeNumber = aNumber.optional().catch(undefined);
/** A string without blanks around it, or undefined. Real answers carry trailing line breaks. */
const maybeString = schemas_string().trim().optional().catch(undefined);
/** A boolean, or undefined. */
const maybeBoolean = schemas_boolean().optional().catch(undefined);
/** An array whose unreadable rows are left out, so that one broken row does not hide the others. */
function readableRows(row) {
    return array(unknown()).transform((rows) => rows.flatMap((candidate) => {
        const parsed = row.safeParse(candidate);
        return parsed.success ? [parsed.data] : [];
    }));
}

;// CONCATENATED MODULE: ./lib/vast/endpoints/create-instance.js


/** `new_contract` is the instance's id (seed, Create instance); errors were seen to have it. */
const createAnswerSchema = looseObject({
    success: maybeBoolean,
    new_contract: maybeId,
    instance_api_key: maybeString,
});
/** Rents. Sent once and never again by itself. */
const createInstance = {
    operation: "create instance",
    method: "PUT",
    path: ({ offerId }) => `/api/v0/asks/${offerId}/`,
    body: ({ config }) => config,
    answer: createAnswerSchema,
    retry: "never",
    permission: "instance_write",
    intervalMs: 4500,
};

;// CONCATENATED MODULE: ./lib/vast/error-body.js

const NO_REASON = "no reason given";
const SENTENCE_FIELDS = ["msg", "message", "detail", "error"];
/**
 * The sentence of a refusal, in one line. The specification shows `{msg}`, `{success, error, msg}`
 * and `{status, message}`; plain text and `{detail}` were seen as well. Never throws.
 */
function errorSentence(body, text) {
    if (typeof body !== "object" || body === null)
        return told(text) || NO_REASON;
    const fields = body;
    const sentence = SENTENCE_FIELDS.map((field) => fields[field]).find((value) => typeof value === "string" && value !== "");
    const code = fields.error;
    // An unknown body is not shown: it could repeat what was sent.
    if (typeof sentence !== "string")
        return NO_REASON;
    return told(typeof code === "string" && code !== sentence ? `${code}: ${sentence}` : sentence);
}
/** A refused create may say the environment that was sent with it. */
function told(text) {
    return oneLine(withoutKeys(text));
}

;// CONCATENATED MODULE: ./lib/vast/service-errors.js


/** The service answered, and its answer is no. */
class ServiceError extends UserError {
    name = "ServiceError";
    status;
    sentence;
    constructor(refusal, options = {}) {
        super(`The service refused "${refusal.operation}" (${refusal.status}): ${refusal.sentence}${needOf(refusal)}`, options);
        this.status = refusal.status;
        this.sentence = refusal.sentence;
    }
}
/** The permission that a key would need: the service's own sentence was seen to name none. */
function needOf({ status, route, permission }) {
    const isOfKey = status === 401 || status === 403;
    return isOfKey && route !== undefined ? ` (${route} needs the permission ${permission})` : "";
}
/**
 * 401: the API key is missing, mistyped, expired or revoked. Not a key that lacks a permission, if
 * the service tells them apart.
 */
class AuthenticationError extends ServiceError {
    name = "AuthenticationError";
    constructor(refusal) {
        super(refusal, {
            hint: `Check the secret behind api-key: a key that is mistyped, revoked or lacks the permission ${refusal.permission} is refused like this.`,
        });
    }
}
/** 403: the key is known, and may not do this; or its user is blocked. */
class PermissionError extends ServiceError {
    name = "PermissionError";
    constructor(refusal) {
        super(refusal, {
            hint: `Give the API key the permission ${refusal.permission} (README, "API key"), or ask the service why the account is blocked.`,
        });
    }
}
/** 404: what was asked for is not there. */
class NotFoundError extends ServiceError {
    name = "NotFoundError";
    /** False: a page, as any gateway sends it; that is no evidence that anything is gone. */
    isOwnWord;
    constructor(refusal) {
        super(refusal, { hint: "Check api-url: what answers there may be another program, or another service." });
        this.isOwnWord = refusal.isJson ?? true;
    }
}
/** 429: calls followed each other too fast. A create was seen to have made an instance even so. */
class RateLimitError extends ServiceError {
    name = "RateLimitError";
    /** How long to wait before the next call of this kind, in milliseconds. */
    waitMs;
    constructor(refusal, waitMs) {
        super(refusal, { isPassing: true, hint: "Run fewer jobs with the same API key at the same time." });
        this.waitMs = waitMs;
    }
}
/**
 * Any other 3xx or 4xx, or a 2xx that says `success: false`: the request or the account is at
 * fault; sending it again won't help.
 */
class RequestRejectedError extends ServiceError {
    name = "RequestRejectedError";
    constructor(refusal) {
        const isElsewhere = refusal.status >= 300 && refusal.status < 400;
        super(refusal, {
            hint: isElsewhere
                ? "Set api-url to the address where the service is: a redirect is not followed, as the API key would go along."
                : "The service's sentence says what is wrong with the request, or with the account.",
        });
    }
}
/** 5xx: the service failed. Whether it carried the call out is unknown. */
class ServerError extends ServiceError {
    name = "ServerError";
    constructor(refusal) {
        super(refusal, {
            isPassing: true,
            hint: "The service has a fault of its own: run the job again in some minutes.",
        });
    }
}
/** No answer came: refused, reset, or too late. Whether the call was carried out is unknown. */
class NoAnswerError extends UserError {
    name = "NoAnswerError";
    constructor(operation, cause) {
        super(`The service gave no answer to "${operation}" (${reasonOf(cause)}).`, {
            cause,
            isPassing: true,
            hint: "Check api-url, and whether the service is up.",
        });
    }
}
/** In one line: a certificate's names are foreign text, and OpenSSL ends its sentences with one. */
function reasonOf(cause) {
    // Where each of a host's addresses fails, Node's error has a code alone.
    const told = cause instanceof Error ? cause.message || cause.code : cause;
    return oneLine(String(told || "connection lost"));
}
/** A 2xx answer against the specification. Not a ServiceError: the call was carried out. */
class UnexpectedAnswerError extends UserError {
    name = "UnexpectedAnswerError";
    constructor(operation, what) {
        super(`The service's answer to "${operation}" could not be read: ${what}.`, {
            hint: "Check that api-url is the service's own address; if it is, report this: the service may have changed.",
        });
    }
}

;// CONCATENATED MODULE: ./lib/vast/judge-status.js


const LONGEST_WAIT_MS = 60_000;
/** The error that a refusal stands for. */
function refusalError(answer, call) {
    const sentence = elsewhere(answer) ?? errorSentence(answer.json, answer.text);
    const { operation, permission, route } = call;
    const { status } = answer;
    const isJson = answer.json !== undefined;
    const refusal = { operation, permission, status, sentence, isJson, ...(route !== undefined && { route }) };
    if (answer.status === 403)
        return new PermissionError(refusal);
    if (isKeyRefused(answer.status, sentence))
        return new AuthenticationError(refusal);
    if (answer.status === 404)
        return new NotFoundError(refusal);
    const wait = tooFastWait(answer, call.intervalMs);
    if (wait !== undefined)
        return new RateLimitError(refusal, wait.waitMs);
    return answer.status >= 500 ? new ServerError(refusal) : new RequestRejectedError(refusal);
}
/** A redirect in words. Its host alone: the address may repeat what was sent. */
function elsewhere({ status, location }) {
    if (status < 300 || status > 399 || location === undefined || !URL.canParse(location))
        return undefined;
    const { host, origin } = new URL(location);
    return host === "" ? undefined : `it is at ${origin}`;
}
/** Seen with 404: a session that ran out (accounts with a second factor), and a key of nobody. */
const KEY_WORDS = /session expired|\bauth_error\b|invalid user key/i;
/**
 * True when it is the key that is refused, and not what was asked for. Told as 404, it must never
 * be read as "the instance is gone", nor as "the offer is gone".
 */
function isKeyRefused(status, sentence) {
    return status === 401 || status === 403 || (status < 500 && KEY_WORDS.test(sentence));
}
/**
 * How long a 429 asks to wait, in milliseconds; undefined for any other answer. The service sends
 * no Retry-After, but its sentence carries the route's threshold. SPEC-SILENT: its unit; taken as
 * seconds, as the service's documentation suggests.
 */
function tooFastWait(answer, intervalMs) {
    if (answer.status !== 429)
        return undefined;
    const sentence = errorSentence(answer.json, answer.text);
    const retryAfter = Number(answer.retryAfter);
    const threshold = Number(/threshold\D{0,3}(\d+(?:\.\d+)?)/i.exec(sentence)?.[1]);
    const seconds = [retryAfter, threshold].find((value) => Number.isFinite(value) && value > 0);
    return { waitMs: Math.min(LONGEST_WAIT_MS, Math.max(seconds === undefined ? 0 : seconds * 1000, intervalMs)) };
}
/** True for an answer that says no in its body while its status says yes. */
function saysNo(answer) {
    return (typeof answer.json === "object" && answer.json !== null && answer.json.success === false);
}

;// CONCATENATED MODULE: ./lib/create/create-errors.js

/** The service's own advice for an account that is new. */
const LIMIT_OF_NEW_ACCOUNTS = "Verify the account's e-mail address, lower max-price or machines, or wait some hours: the service limits what a new account may spend an hour, and more credit does not raise it.";
/** The account: the service wants money first, or to know it for longer. */
class NoCreditError extends UserError {
    name = "NoCreditError";
    constructor(sentence, billing, hint = "Add credit to the service's account.") {
        super([`The service rents nothing to this account: ${sentence}.`, billing].filter(Boolean).join(" "), {
            kind: "no-machine",
            hint,
        });
    }
}
/** The request: the service refused to create, and another offer would be refused like it. */
class CreateRefusedError extends UserError {
    name = "CreateRefusedError";
    constructor(status, sentence, billing) {
        super(`The service refused to create the instance (${status}): ${sentence}. ${billing}`, {
            kind: "no-machine",
            hint: "Check image, disk and env.",
        });
    }
}
/** The template: no template has that hash. */
class TemplateUnknownError extends UserError {
    name = "TemplateUnknownError";
    constructor(hash, sentence, billing) {
        super(`The service does not take the template ${hash}: ${sentence}. ${billing}`, {
            kind: "no-machine",
            hint: "Check template-hash-id: a template gets another hash with each edit; the service's console shows the present one.",
        });
    }
}

;// CONCATENATED MODULE: ./lib/vast/read-create-answer.js



/** Reads an answer to *create instance*: the id first, for errors were seen to carry one. */
function readCreateAnswer(answer) {
    const { new_contract: id, instance_api_key } = createAnswerSchema.safeParse(answer.json).data ?? {};
    const isYes = answer.status >= 200 && answer.status < 300 && !saysNo(answer);
    if (isYes && id !== undefined)
        return { kind: "created", id, instanceApiKey: instance_api_key };
    if (isYes)
        return { kind: "refused", error: new UnexpectedAnswerError(createInstance.operation, "it has no instance id") };
    const error = refusalError(answer, { ...createInstance, route: "PUT /api/v0/asks/{offer_id}/" });
    return id === undefined ? { kind: "refused", error } : { kind: "unwanted", id, error };
}

;// CONCATENATED MODULE: ./lib/create/judge-create.js



/** The service's sentences, whatever the status. The first that fits holds. */
const BY_SENTENCE = [
    { says: /insufficient_credit|lacks credit/i, kind: "no-credit" },
    { says: /spend_rate_limit/i, kind: "spends-too-fast" },
    { says: /no_such_ask/i, kind: "gone" },
    // SPEC-SILENT: the answer to a volume that is unknown, or on another machine. No other offer
    // would do better.
    { says: /\bvolume\b|no_such_volume/i, kind: "refused" },
    // SPEC-SILENT: the answer for an unknown template_hash_id; taken to say "template", and not to be
    // told from a taken offer by its status.
    { says: /template/i, kind: "no-template" },
    // SPEC-SILENT: status and body of a taken offer. Seen: 404, 410, 400 and 200 with success:false,
    // told by these words.
    { says: /not available|no longer available|no longer rentable/i, kind: "gone" },
    // SPEC-SILENT: the sentence for a bid that is too low by now, when nothing was made of it.
    // Another offer may have a lower floor.
    { says: /bid\b.*\b(below|too low|less than|minimum)/i, kind: "gone" },
];
/** Judges an answer to *create instance*: its id first, as errors were seen to carry one, too. */
function judgeCreate(answer) {
    const read = readCreateAnswer(answer);
    if (read.kind === "created")
        return { kind: "created", id: read.id };
    const { error } = read;
    if (error instanceof UnexpectedAnswerError)
        return { kind: "uncertain", sentence: "the answer carries no instance id" };
    return read.kind === "unwanted"
        ? { kind: "unwanted", id: read.id, sentence: error.sentence }
        : judgeRefusal(answer, error.sentence);
}
function judgeRefusal({ status, json }, sentence) {
    if (status === 429)
        return { kind: "too-fast" };
    // 408 is a gateway's word that it waited too long: what became of the request is not known.
    if (status >= 500 || status === 408)
        return { kind: "uncertain", sentence: `${status}: ${sentence}` };
    if (isKeyRefused(status, sentence))
        return { kind: "refused", sentence };
    const told = BY_SENTENCE.find(({ says }) => says.test(sentence));
    if (told)
        return { kind: told.kind, sentence };
    if (status === 404 || status === 410)
        return { kind: "gone", sentence };
    // A page that is not the service's own says nothing of what the service did.
    return json === undefined ? { kind: "uncertain", sentence: `${status}: ${sentence}` } : { kind: "refused", sentence };
}

;// CONCATENATED MODULE: ./lib/create/create.js






/** After a cancel, how long a create that is under way may take to answer. */
const SETTLE_MS = 5000;
/** Looks at the list after a create without an answer: a fresh instance may show late. */
const UNCERTAIN_LOOKS_MS = [0, 2000, 5000, 10_000, 20_000, 40_000];
/** Sends *create instance* once, for one offer. `onSend` is called right before it is sent. */
async function sendCreate(creating, offerId, config, onSend) {
    try {
        const answer = await settling(creating, (way) => creating.service.createInstance(offerId, config, { before: creating.signal, way, onSend }));
        return outcomeOf(judgeCreate(answer), answer, config);
    }
    catch (error) {
        if (!(error instanceof NoAnswerError))
            throw error;
        return { kind: "uncertain", sentence: error.message };
    }
}
function outcomeOf(verdict, answer, config) {
    const hash = config.template_hash_id;
    switch (verdict.kind) {
        case "no-credit":
        case "spends-too-fast":
        case "no-template":
        case "refused": {
            const { kind, sentence } = verdict;
            const refused = { kind: "refused", by: "request", sentence };
            if (kind === "no-credit")
                return { ...refused, by: "account", error: (billing) => new NoCreditError(sentence, billing) };
            if (kind === "spends-too-fast") {
                const error = (billing) => new NoCreditError(sentence, billing, LIMIT_OF_NEW_ACCOUNTS);
                return { ...refused, by: "spend-rate", error };
            }
            if (kind === "no-template" && hash !== undefined)
                return { ...refused, error: (billing) => new TemplateUnknownError(hash, sentence, billing) };
            if (isKeyRefused(answer.status, sentence))
                return { ...refused, by: "account", error: (billing) => keyRefused(answer).and(billing) };
            return { ...refused, error: (billing) => new CreateRefusedError(answer.status, sentence, billing) };
        }
        default:
            return verdict;
    }
}
/** Gives a cancelled request 5 s more, so that its outcome can be written down. */
async function settling({ clock, signal }, send) {
    signal.throwIfAborted();
    const cut = new AbortController();
    const settled = new AbortController();
    const onAbort = () => {
        clock.sleep(SETTLE_MS, settled.signal).then(() => cut.abort(signal.reason), () => { });
    };
    signal.addEventListener("abort", onAbort, { once: true });
    try {
        return await send(cut.signal);
    }
    finally {
        signal.removeEventListener("abort", onAbort);
        settled.abort();
    }
}
function keyRefused(answer) {
    return refusalError(answer, { ...createInstance, route: "PUT /api/v0/asks/{offer_id}/" });
}
/** Looks once; undefined: it is not listed, `unreadable`: the list could not be read. */
async function findByLabel({ service, signal }, label) {
    try {
        return (await service.listInstances(signal, label)).find((instance) => instance.label === label)?.id;
    }
    catch {
        // Whatever the service says instead of a list is no evidence; only a cancel ends the look.
        signal.throwIfAborted();
        return "unreadable";
    }
}
/** Looks for an uncertain create's instance, for 40 s; undefined: it counts as not carried out. */
async function settleUncertain(creating, label) {
    return await lookAt(UNCERTAIN_LOOKS_MS, async () => {
        const found = await findByLabel(creating, label);
        return typeof found === "number" ? found : undefined;
    }, creating);
}

;// CONCATENATED MODULE: ./lib/create/hide-secrets.js

/** Of our own variables only runner configurations are secrets; the rest is addresses and names. */
const OWN_PUBLIC = /^GHR_(?!JIT(?:_\d)?$)/;
const SOUNDS_SECRET = /key|token|secret|pass|pwd|auth|login|credential/i;
/** A shorter value is a number, a flag or a word, and would be hidden in other places. */
const SHORTEST = 8;
const SHORTEST_SECRET = 4;
/**
 * Makes a function that takes out of a machine's output what must not be read in a job's log: the
 * values of its environment (each by the variable's name), and every long word that looks like
 * base64, which the instance's own key does.
 */
function secretHider(env) {
    const pieces = Object.entries(env)
        .filter(([name]) => !OWN_PUBLIC.test(name))
        .flatMap(([name, value]) => linesOf(name, value))
        // The longest first: a value may be a part of another one.
        .sort((left, right) => right.piece.length - left.piece.length);
    return (text) => {
        const known = pieces.reduce((hidden, { name, piece }) => hidden.replaceAll(piece, `[${name}]`), text);
        return withoutKeys(known);
    };
}
/** A value of several lines is printed in several lines, and a log may begin with any of them. */
function linesOf(name, value) {
    const shortest = SOUNDS_SECRET.test(name) ? SHORTEST_SECRET : SHORTEST;
    const lines = value.split(/\r?\n/).map((line) => line.trim());
    return lines.filter((piece) => piece.length >= shortest).map((piece) => ({ name, piece }));
}

;// CONCATENATED MODULE: ./lib/create/instance-config.js
/**
 * The body of *create instance* for these wishes. A template gives way to each field that is sent
 * (seed, Create rule 2): what the user did not say must not be in it, but for what this action
 * can't do without: disk, runtype, onstart.
 */
function instanceConfig(wishes, machine) {
    const { image, imageLogin, templateHashId, volume } = wishes;
    const { bid } = machine;
    return {
        ...(templateHashId && { template_hash_id: templateHashId }),
        ...(image && { image }),
        ...(imageLogin && { image_login: imageLogin }),
        label: machine.label,
        disk: wishes.diskGb,
        runtype: wishes.runtype,
        target_state: "running",
        env: machine.env,
        onstart: machine.onstart,
        ...(bid !== undefined && { price: bid }),
        ...(volume && { volume_info: volume }),
        // Bids included: without it a machine that can't be had becomes a stopped instance that bills
        // its disk.
        cancel_unavail: true,
    };
}
/** The image in words, for messages: a template's own is known only to the service. */
function describeImage({ image, templateHashId }) {
    return image ?? `of template ${templateHashId}`;
}

// EXTERNAL MODULE: external "node:crypto"
var external_node_crypto_ = __nccwpck_require__(7598);
;// CONCATENATED MODULE: ./lib/create/label.js

const VERSION = "ghr1";
const USE_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";
const USE_LENGTH = 6;
const LABEL = /^ghr1\.(?<server>[a-z]{4})?(?<repository>\d+)\.(?<run>\d+)-(?<attempt>\d+)\.(?<use>[a-z0-9]{6})\.(?<n>\d+)\.(?<expiry>\d+)$/;
/** Draws the six characters that tell this use from every other. */
function drawUse() {
    return Array.from({ length: USE_LENGTH }, () => USE_ALPHABET[(0,external_node_crypto_.randomInt)(USE_ALPHABET.length)]).join("");
}
/** The letters that stand for a GitHub server; empty for github.com. */
function serverLetters(serverUrl) {
    const host = new URL(serverUrl).hostname;
    if (host === "github.com")
        return "";
    return [...(0,external_node_crypto_.createHash)("sha256").update(host).digest().subarray(0, 4)].map((byte) => USE_ALPHABET[byte % 26]).join("");
}
/** The prefix of every label of this use, up to and without the dot after `use`. */
function labelPrefix(use) {
    return `${VERSION}.${use.server}${use.repositoryId}.${use.runId}-${use.attempt}.${use.use}`;
}
/** The label of the n-th create of a use. At most 60 characters of `[a-z0-9.-]`. */
function makeLabel(prefix, n, expirySeconds) {
    return `${prefix}.${n}.${expirySeconds}`;
}
/** True for an instance of this use: the prefix **and a dot**, which no other use's label has. */
function hasPrefix(label, prefix) {
    return label?.startsWith(`${prefix}.`) ?? false;
}
/**
 * Reads a label of ours; undefined for anybody else's, and for one that only looks like ours: a
 * number with zeros before it, or too long for one.
 */
function readLabel(label) {
    const parts = LABEL.exec(label)?.groups;
    if (!parts)
        return undefined;
    const read = {
        server: parts.server ?? "",
        repositoryId: Number(parts.repository),
        runId: Number(parts.run),
        attempt: Number(parts.attempt),
        use: String(parts.use),
        n: Number(parts.n),
        expiry: Number(parts.expiry),
    };
    return makeLabel(labelPrefix(read), read.n, read.expiry) === label ? read : undefined;
}

;// CONCATENATED MODULE: ./lib/create/rent.js





/** Registers one machine's runners and creates it, writing down each step before and after. */
async function rent(deps, request, rental) {
    const { clock, ledger } = deps;
    const runners = await register(deps, request, rental);
    if (runners instanceof UserError)
        return { kind: "unregistered", error: runners };
    const mintedAt = clock.now();
    const { deadline, uptimeMs } = rental;
    const label = makeLabel(request.prefix, rental.n, rental.expiry);
    const env = request.env({ jitConfigs: runners.map(({ jitConfig }) => jitConfig), deadline, uptimeMs });
    const config = instanceConfig(request.instance, { label, onstart: request.onstart, env, bid: rental.price.bid });
    const draft = { rental, label, runners, mintedAt, askedAt: clock.now(), hide: secretHider(env) };
    rental.onRegistered(runners, draft.hide);
    const outcome = await sendCreate(deps, rental.offer.id, config, () => {
        draft.askedAt = clock.now();
        ledger.pending(rental.n, label);
    });
    return await rent_settle(deps, draft, outcome);
}
/** One after the other, so that what was registered before a failure is known, and removed. */
async function register({ runners, ledger, signal }, { jobsPerMachine, runnerNamePrefix }, { n }) {
    const minted = [];
    try {
        for (let k = 1; k <= jobsPerMachine; k += 1) {
            const name = k === 1 ? `${runnerNamePrefix}-${n}` : `${runnerNamePrefix}-${n}-${k}`;
            minted.push({ name, ...(await runners.registerRunner(name, signal)) });
            ledger.runners(n, minted.map(({ id }) => id));
        }
    }
    catch (error) {
        if (!(error instanceof UserError))
            throw error;
        for (const { id } of minted)
            await runners.remove(id, signal);
        return error;
    }
    return minted;
}
async function rent_settle(deps, draft, outcome) {
    switch (outcome.kind) {
        case "created":
            return rent_record(deps, draft, outcome.id);
        case "unwanted":
            return { ...rent_record(deps, draft, outcome.id), unwanted: draft.hide(outcome.sentence) };
        case "uncertain":
            deps.log.warning(`It is not known whether the instance was created (${outcome.sentence}). Looking for it by its label.`);
            return await lookForIt(deps, draft, outcome.sentence);
        default:
            return await notMade(deps, draft, outcome);
    }
}
function rent_record({ clock, ledger }, draft, instanceId) {
    const { askedAt, mintedAt, rental } = draft;
    const { n, searchedAt, terms } = rental;
    ledger.created(n, instanceId);
    const report = {
        instanceId,
        ...terms,
        at: { searched: searchedAt, minted: mintedAt, asked: askedAt, created: clock.now() },
        last: "created",
    };
    ledger.report(n, report);
    return { kind: "created", instanceId, report };
}
async function lookForIt(deps, draft, sentence) {
    const found = await settleUncertain(deps, draft.label);
    if (found !== undefined)
        return rent_record(deps, draft, found);
    await removeRunners(deps, draft);
    return { kind: "not-made", why: "unknown", sentence, isListed: false };
}
/** Refusals were seen to have made an instance: the list is asked before they are believed. */
async function notMade(deps, draft, outcome) {
    const sentence = "sentence" in outcome ? outcome.sentence : "too many requests";
    const found = outcome.kind === "gone" ? undefined : await findByLabel(deps, draft.label);
    if (typeof found === "number") {
        const made = rent_record(deps, draft, found);
        return outcome.kind === "too-fast" ? made : { ...made, unwanted: draft.hide(sentence) };
    }
    // While the list can't be read, post must go on looking for it: nothing is written down.
    if (found === undefined)
        deps.ledger.created(draft.rental.n, "none");
    await removeRunners(deps, draft);
    const isListed = found === undefined && outcome.kind !== "gone";
    if (outcome.kind === "refused")
        return { ...outcome, isListed };
    return { kind: "not-made", why: found === undefined ? outcome.kind : "unknown", sentence, isListed };
}
/** They go, so that a machine that still turns up can't take a job. */
async function removeRunners({ runners, signal }, draft) {
    for (const { id } of draft.runners)
        await runners.remove(id, signal);
}

;// CONCATENATED MODULE: ./lib/github/gpu-jobs.js
const STATES = new Map([
    ["queued", "waiting"],
    ["in_progress", "running"],
    ["completed", "over"],
]);
/** Sorts the jobs of one look. */
function sortJobs(jobs, whose) {
    const own = findOwnJob(jobs, whose.own);
    const others = jobs.filter((job) => job !== own && !isOurs(job, whose));
    return {
        ours: jobs.filter((job) => job !== own && isOurs(job, whose)).map((job) => gpuJob(job, whose)),
        others: others.length,
        othersOpen: others
            .filter(({ status }) => status !== "completed")
            .map(({ name, status, labels }) => ({ name, status, labels })),
    };
}
function gpuJob({ labels, status, ...job }, whose) {
    const otherLabels = [...new Set(labels.filter((label) => !isLabel(label, whose)))];
    return { ...job, state: STATES.get(status) ?? "held", otherLabels };
}
/** Labels compare whatever their case, as with GitHub. All jobs on our runners are ours. */
function isOurs({ labels, runnerName }, whose) {
    return runnerName?.startsWith(`${whose.runnerNamePrefix}-`) || labels.some((label) => isLabel(label, whose));
}
function isLabel(label, { runnerLabel }) {
    return label.toLowerCase() === runnerLabel.toLowerCase();
}
/** The most certain sign first: the id, then the runner that it runs on, then its name. */
function findOwnJob(jobs, own) {
    return (jobs.find((job) => job.id === own.checkRunId) ??
        jobs.find((job) => job.status === "in_progress" && own.runnerName !== undefined && job.runnerName === own.runnerName) ??
        jobs.find((job) => job.name === own.jobName));
}
/** A job that can't run on our runners, however long it waits. */
function asksForMore({ state, otherLabels }) {
    return state === "waiting" && otherLabels.length > 0;
}
const GOOD = new Set(["success", "skipped", "neutral"]);
/** True for a job that is over and did not do well. */
function isBad({ state, conclusion }) {
    return state === "over" && !GOOD.has(conclusion ?? "unknown");
}
/** How long the jobs took that are over, in milliseconds. One that never had a runner took none. */
function finishedMs(jobs) {
    return (jobs?.ours ?? []).flatMap(({ state, runnerName, startedAt, completedAt }) => state === "over" && runnerName !== undefined && startedAt !== undefined && completedAt !== undefined
        ? [Math.max(0, completedAt - startedAt)]
        : []);
}

;// CONCATENATED MODULE: ./lib/money/format-price.js
/** A price in USD: two decimals, more for prices below a cent. */
function formatPrice(usd) {
    return `${usd >= 0.1 || usd === 0 ? usd.toFixed(2) : usd.toFixed(4)} USD`;
}
/** A price beside another one: with the decimals that it takes to tell the two apart. */
function formatBeside(usd, other) {
    if (usd === other || formatPrice(usd) !== formatPrice(other))
        return formatPrice(usd);
    const decimals = DECIMALS.find((count) => usd.toFixed(count) !== other.toFixed(count));
    return decimals === undefined ? `${usd} USD` : `${usd.toFixed(decimals)} USD`;
}
const DECIMALS = [3, 4, 5, 6];
/** A limit as it was given: two that decide otherwise must not read the same. */
function formatLimit(usd) {
    return Number(usd.toFixed(2)) === usd ? formatPrice(usd) : `${usd} USD`;
}

;// CONCATENATED MODULE: ./lib/market/offer-price.js
/** SPEC-SILENT: hours of a "month" in `storage_cost`. The shorter month bills more. */
const HOURS_PER_MONTH = 30 * 24;
/**
 * The price with that much disk. `dph_total` has storage only when it was asked for; where the
 * answer shows that it was left out, it is added. Never below what the service says.
 */
function offerPrice(offer, diskGb) {
    const storage = ((offer.storage_cost ?? 0) * diskGb) / HOURS_PER_MONTH;
    if (offer.dph_base !== undefined)
        return { total: Math.max(offer.dph_total, offer.dph_base + storage), storage };
    const included = offer.storage_total_cost ?? 0;
    return { total: offer.dph_total + Math.max(0, storage - included), storage };
}

;// CONCATENATED MODULE: ./lib/market/bid-price.js


/** The usual bid, above the lowest: the next one who bids a little more must not win at once. */
const MARGIN = 1.1;
/** The service takes no bid below this, and this is how finely it is rounded. USD per hour. */
const LEAST = 0.001;
const STEP = 10_000;
/** An offer's price: on demand, or with the bid that is made for it. */
function priceOf(offer, { bid, diskGb, maxPrice }) {
    const asked = offerPrice(offer, diskGb);
    if (bid === undefined)
        return asked;
    const price = bid.price ?? usualBid(lowestBid(offer, diskGb), maxPrice - asked.storage);
    return { total: price + asked.storage, storage: asked.storage, bid: price };
}
/**
 * The lowest bid that wins, in USD per hour for the GPUs. SPEC-SILENT: the specification's offers
 * show no `min_bid`; the price in a search for interruptible ones is taken for it.
 */
function lowestBid(offer, diskGb) {
    const { total, storage } = offerPrice(offer, diskGb);
    return offer.min_bid ?? Math.max(0, total - storage);
}
/** The margin is given up, as far as must be, where `max-price` leaves less. */
function usualBid(lowest, most) {
    const wanted = Math.round(lowest * MARGIN * STEP) / STEP;
    return Math.max(LEAST, lowest, Math.min(wanted, Math.floor(most * STEP) / STEP));
}
/** A price in words: `0.34 USD per hour`, and what of it is a bid. */
function describePrice({ total, bid }) {
    const perHour = `${formatPrice(total)} per hour`;
    return bid === undefined ? perHour : `${perHour} (interruptible, at a bid of ${formatPrice(bid)} for the GPUs)`;
}

;// CONCATENATED MODULE: ./lib/money/boot-time.js
/** Its test had the host's line alone; a pull shares it, and a registry limits each client. */
const SHARE_OF_LINE = 0.5;
/** Mbit/s of a host that does not tell: what `min-inet-down-mbps` asks for by default. */
const UNTOLD_MBPS = 200;
/** One core unpacks layers in turn, onto a shared disk. Seconds per compressed GB (10^9 bytes). */
const UNPACK_SECONDS_PER_GB = 20;
/** Time for a host to download and unpack so many bytes of an image, in milliseconds. */
function pullMs(bytes, offer) {
    const seconds = (bytes * 8) / (speedOf(offer) * SHARE_OF_LINE * 1e6) + (bytes / 1e9) * UNPACK_SECONDS_PER_GB;
    return seconds * 1000;
}
function speedOf({ inet_down }) {
    return inet_down !== undefined && inet_down > 0 ? inet_down : UNTOLD_MBPS;
}
/** `about 2 min to pull 3.2 GB at 840 Mbit/s` */
function describePull(bytes, offer) {
    const minutes = Math.max(1, Math.round(pullMs(bytes, offer) / 60_000));
    const speed = offer.inet_down ? `${Math.round(offer.inet_down)} Mbit/s` : "an unknown speed";
    return `about ${minutes} min to pull ${formatSize(bytes)} at ${speed}`;
}
function formatSize(bytes) {
    return bytes >= 1e8 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.max(1, Math.round(bytes / 1e6))} MB`;
}

;// CONCATENATED MODULE: ./lib/money/tuning.js
/**
 * The figures of the rules that say which machine is taken, when it is late and when it is given
 * up. Tried on the market of `npm run bench -- market`; ADR 17 has the lessons. Milliseconds unless
 * a name says otherwise.
 */
const TUNING = {
    boot: {
        /** Provisioning, creation and start, with no image to pull: seen to take 30 to 60 seconds. */
        baseMs: 40_000,
        /** A host that pulled the image before only creates and starts. */
        withImageMs: 45_000,
        /** Compressed GB of an untold image: most CUDA runtime images are smaller, devel twice that. */
        unknownGb: { usual: 5, devel: 10 },
        /** An average over less is one host's day; over more, last week's network. */
        recentBoots: 15,
        /** A ratio of actual to estimate beyond this is a clock's fault, not a host's. */
        ratios: { least: 0.1, most: 10 },
    },
    late: {
        /** Below a minute nothing can be told from the delays of looking. */
        leastMs: 60_000,
        /** From running to online a good machine takes 10 to 30 s. */
        onlineMs: 60_000,
        /** Times the expected boot: three of four healthy machines are there by then. */
        usual: 1.25,
        /** With a history: a stranger is doubted early, a machine that served is waited for. */
        unproven: 0.6,
        proven: 1.5,
    },
    limits: {
        /** Times the expected boot: a machine that takes longer is broken, not slow. */
        patience: 3,
        shortestMs: 5 * 60_000,
        longestMs: 40 * 60_000,
    },
    cost: {
        /** A waiting developer costs more, but does other things, too; more buys seconds for cents. */
        waitingUsdPerHour: 1,
        /** GPU seconds between running and the job's start, and between its end and the destruction. */
        aroundJobMs: 20_000,
        /** A job of which nothing is known, and the weight of that guess beside those that are. */
        priorJobMs: 300_000,
        /** Waiting for one that never comes: until it is seen to be late, and the next one boots. */
        failureMs: 300_000,
        /** Machines that never come: a fifth on this market, few of those that served lately. */
        failureChance: { usual: 0.2, proven: 0.02 },
    },
    history: {
        /** Trust in a machine that served: a third of offers go in an hour, hosts stay for weeks. */
        provenForMs: 48 * 3_600_000,
        /** One that failed comes last: most faults of a host are mended or gone with it by then. */
        failedForMs: 24 * 3_600_000,
    },
};

;// CONCATENATED MODULE: ./lib/money/expected-boot.js


const { baseMs, withImageMs, unknownGb, recentBoots, ratios } = TUNING.boot;
/** Nothing is known. */
const NO_BOOTS = { recentRatios: [], hasImage: false };
/** Time from creation to running, as expected, in milliseconds. DESIGN §1.2, `E`. */
function expectedBootMs(image, offer, known = NO_BOOTS) {
    if (known.hasImage)
        return withImageMs;
    return Math.round(baseMs + bootFactor(known) * pullMs(expectedBytes(image), offer));
}
/** The image's size as it is pulled, in bytes; a guess where nobody could tell. */
function expectedBytes({ bytes, isDevel }) {
    return bytes ?? unknownGb[isDevel ? "devel" : "usual"] * 1e9;
}
/** Actual to estimated pull time: of the host's last boot, else the recent median, else 1. */
function bootFactor({ ownRatio, recentRatios }) {
    const factor = ownRatio ?? median(recentRatios.slice(-recentBoots)) ?? 1;
    return Math.min(ratios.most, Math.max(ratios.least, factor));
}
function median(values) {
    const sorted = values.toSorted((left, right) => left - right);
    const middle = Math.floor(sorted.length / 2);
    const [low, high] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
    return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

;// CONCATENATED MODULE: ./lib/shared/duration.js
const UNIT_MS = { h: 3_600_000, m: 60_000, s: 1000 };
const DURATION = /^(?:(?<h>\d{1,6})h)?(?:(?<m>\d{1,6})m)?(?:(?<s>\d{1,6})s)?$/;
/** Reads `90s`, `10m`, `2h` or `1h30m` as ms; undefined otherwise, for a bare number, too. */
function parseDuration(text) {
    const parts = DURATION.exec(text)?.groups;
    if (!parts || text === "")
        return undefined;
    return Number(parts.h ?? 0) * UNIT_MS.h + Number(parts.m ?? 0) * UNIT_MS.m + Number(parts.s ?? 0) * UNIT_MS.s;
}
/** Writes milliseconds as people read them: `8s`, `4m 5s`, `1h 30m`. */
function formatDuration(milliseconds) {
    const seconds = Math.max(0, Math.round(milliseconds / 1000));
    const hours = Math.floor(seconds / 3600);
    const minutes = Math.floor((seconds % 3600) / 60);
    if (hours > 0)
        return minutes > 0 ? `${hours}h ${minutes}m` : `${hours}h`;
    if (minutes > 0)
        return seconds % 60 > 0 ? `${minutes}m ${seconds % 60}s` : `${minutes}m`;
    return `${seconds}s`;
}

;// CONCATENATED MODULE: ./lib/money/hosted-prices.js
/**
 * GitHub's price for the job that holds the machine, in USD per minute, from its public pages in
 * 2026: the smallest standard Linux runner, 2 cores. Larger ones cost more; public repositories pay
 * nothing.
 */
const HOLDER_USD_PER_MINUTE = 0.006;

;// CONCATENATED MODULE: ./lib/money/estimate.js



const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** The download of the runner program, in GB. */
const RUNNER_GB = 0.2;
const GB = 1e9;
/** The cost of a machine that is used until its deadline, without what the job itself loads. */
function estimateCost({ price, from, deadline, imageBytes }) {
    const lifeMs = Math.max(0, deadline - from);
    const minutes = Math.ceil(lifeMs / MINUTE_MS);
    const machine = (price.total * lifeMs) / HOUR_MS;
    const usd = knownBytesUsd(price.inetDown, imageBytes);
    const bytes = { imageGb: imageBytes === undefined ? undefined : imageBytes / GB, runnerGb: RUNNER_GB, usd };
    const holder = { usdPerMinute: HOLDER_USD_PER_MINUTE, usd: minutes * HOLDER_USD_PER_MINUTE };
    return { minutes, machine, bytes, most: machine + (usd ?? 0), holder };
}
/** Image and runner over the host's line in USD; undefined: no price. An unknown image counts 0. */
function knownBytesUsd(inetDown, imageBytes) {
    return inetDown === undefined ? undefined : inetDown * (RUNNER_GB + (imageBytes ?? 0) / GB);
}
/** An estimate in sentences, for the log. */
function describeEstimate(estimate, price) {
    const { minutes, machine, most, holder } = estimate;
    const gpu = Math.max(0, price.total - price.storage);
    return [
        `Price: ${formatPrice(price.total)} per hour (GPU ${formatPrice(gpu)}, storage ${formatPrice(price.storage)}). ${describeBytes(estimate, price)}`,
        `It may cost ${formatPrice(most)} at most if it is used until its deadline: ${formatDuration(minutes * MINUTE_MS)} are ${formatPrice(machine)}, and the bytes; what the job loads comes on top.`,
        `The job that holds it costs nothing in a public repository, and ${formatPrice(holder.usd)} at most in a private one (${holder.usdPerMinute} USD per minute on a Linux runner of 2 cores).`,
    ];
}
function describeBytes({ bytes }, { inetDown }) {
    const { imageGb, runnerGb, usd } = bytes;
    if (usd === undefined || inetDown === undefined)
        return "Bytes are not counted: the offer has no price for them.";
    const runner = `${runnerGb} GB of runner program`;
    const what = imageGb === undefined
        ? `${runner}; those of the image are not counted, its size is not known`
        : `${imageGb.toFixed(1)} GB of image and ${runner}`;
    return `Bytes: ${formatPrice(usd)} at ${formatPrice(inetDown)} per GB (${what}).`;
}

;// CONCATENATED MODULE: ./lib/market/expected-cost.js


const expected_cost_HOUR_MS = 3_600_000;
const expected_cost_GB = 1e9;
const { waitingUsdPerHour, aroundJobMs, priorJobMs, failureMs } = TUNING.cost;
/** A GPU job's time, in milliseconds: the mean of those that are over and one guess. */
function expectedJobMs(finishedMs) {
    return finishedMs.reduce((sum, each) => sum + each, priorJobMs) / (finishedMs.length + 1);
}
/** DESIGN §1.2, the order `auto`: what an offer is expected to cost. */
function expectedCost(offer, price, facts) {
    const { bootMs, jobMs, imageBytes, failureChance } = facts;
    const gpu = (Math.max(0, price.total - price.storage) * (jobMs + aroundJobMs)) / expected_cost_HOUR_MS;
    const storage = (price.storage * (jobMs + bootMs)) / expected_cost_HOUR_MS;
    const bytes = (offer.inet_down_cost ?? 0) * (imageBytes / expected_cost_GB + RUNNER_GB);
    const waiting = (waitingUsdPerHour * (bootMs + failureMs * failureChance)) / expected_cost_HOUR_MS;
    return { gpu, storage, bytes, waiting, total: gpu + storage + bytes + waiting };
}
/**
 * `0.035 USD expected: GPU 0.031, bytes 0.004; to rank offers, 0.006 more for the wait`. Nobody
 * bills the wait; parts of zero are left out.
 */
function describeExpectedCost(cost) {
    const parts = ["gpu", "storage", "bytes"]
        .map((part) => [part === "gpu" ? "GPU" : part, cost[part].toFixed(3)])
        .filter(([, usd]) => usd !== "0.000");
    const billed = `${(cost.total - cost.waiting).toFixed(3)} USD expected`;
    const rank = `to rank offers, ${cost.waiting.toFixed(3)} more for the wait`;
    return `${billed}: ${parts.map(([part, usd]) => `${part} ${usd}`).join(", ")}; ${rank}`;
}

;// CONCATENATED MODULE: ./lib/market/history.js


/** No machine is known. */
const NO_HISTORY = new Map();
const MOST_BOOTS = 8;
const MOST_MACHINES = 500;
const KEPT_MS = 30 * 24 * 3_600_000;
/**
 * A mark of an image in place of its name, which may be another's text. A tag that was moved names
 * other content, which no machine has yet: it is told by its size.
 */
function imageMark({ bytes, name }) {
    return (0,external_node_crypto_.createHash)("sha256")
        .update(`${name} ${bytes ?? ""}`)
        .digest("hex")
        .slice(0, 16);
}
const LONGEST_BOOT_MS = 6 * 3_600_000;
/** A boot's length as a clock tells it, in milliseconds: others are neither kept nor read. */
function isBootTime(value) {
    return typeof value === "number" && value > 0 && value <= LONGEST_BOOT_MS;
}
/** A machine's id as the service gives them: one of another form would spoil the file. */
function isMachineId(id) {
    return Number.isInteger(id) && id > 0 && id < 1e15;
}
/** Adds what became of a machine. */
function withFate(history, fate) {
    if (!isMachineId(fate.machine))
        return history;
    if (fate.kind === "booted" && ![fate.actualMs, fate.estimateMs ?? 1].every(isBootTime))
        return history;
    const before = history.get(fate.machine) ?? { boots: [] };
    return new Map(history).set(fate.machine, joined(before, entryOf(fate)));
}
function entryOf(fate) {
    if (fate.kind === "failed")
        return { failedAt: fate.at, boots: [] };
    if (fate.kind === "served")
        return { servedAt: fate.at, boots: [] };
    const { at, image, estimateMs, actualMs } = fate;
    return { boots: [{ at, image, ...(estimateMs === undefined ? {} : { estimateMs }), actualMs }] };
}
/** The knowledge of two runs together. */
function history_merge(left, right) {
    const merged = new Map(left);
    for (const [machine, entry] of right)
        merged.set(machine, joined(merged.get(machine) ?? { boots: [] }, entry));
    return merged;
}
function joined(left, right) {
    const boots = new Map([...left.boots, ...right.boots].map((boot) => [`${boot.at} ${boot.image}`, boot]));
    const failedAt = latest(left.failedAt, right.failedAt);
    const servedAt = latest(left.servedAt, right.servedAt);
    return {
        ...(failedAt === undefined ? {} : { failedAt }),
        ...(servedAt === undefined ? {} : { servedAt }),
        boots: [...boots.values()].sort((one, other) => one.at - other.at).slice(-MOST_BOOTS),
    };
}
function latest(left, right) {
    return left === undefined || right === undefined ? (left ?? right) : Math.max(left, right);
}
/** Forgets what is older than 30 days, and all but the 500 machines that were heard of last. */
function prune(history, now) {
    const kept = [...history]
        .filter(([, entry]) => heardOf(entry) > now - KEPT_MS)
        .toSorted(([, left], [, right]) => heardOf(right) - heardOf(left));
    return new Map(kept.slice(0, MOST_MACHINES));
}
function heardOf({ failedAt = 0, servedAt = 0, boots }) {
    return Math.max(failedAt, servedAt, boots.at(-1)?.at ?? 0);
}
/** Looks a machine up; one whose id is not told is a stranger. */
function knownOf(history, machine, image, now) {
    const { failedAt, servedAt, boots } = history.get(machine ?? Number.NaN) ?? { boots: [] };
    const isProven = servedAt !== undefined && now - servedAt <= TUNING.history.provenForMs;
    const failedSince = failedAt !== undefined && failedAt > (servedAt ?? 0);
    return {
        isProven: isProven && !failedSince,
        failedLately: failedSince && now - failedAt <= TUNING.history.failedForMs,
        ownRatio: boots.map(ratioOf).findLast((ratio) => ratio !== undefined),
        hasImage: boots.some((boot) => boot.image === image),
    };
}
/** The ratios of actual to estimate of all boots that are known, newest last. */
function ratiosOf(history) {
    const boots = [...history.values()].flatMap((entry) => entry.boots).toSorted((left, right) => left.at - right.at);
    return boots.flatMap((boot) => ratioOf(boot) ?? []);
}
function ratioOf({ estimateMs, actualMs }) {
    return estimateMs === undefined ? undefined : actualMs / estimateMs;
}

;// CONCATENATED MODULE: ./lib/market/expectation.js




/** Puts it together. `finishedMs`: how long the GPU jobs took that are over. */
function knowledgeOf({ image }, finishedMs, { isKept, known }, now) {
    const jobMs = expectedJobMs(finishedMs);
    return { image, jobMs, history: known, isKept, now };
}
/** Expects of each offer; the part that all share is worked out once. */
function expectations(knowledge) {
    const { history, image, isKept, jobMs, now } = knowledge;
    const mark = imageMark(image);
    const recentRatios = ratiosOf(history);
    return (offer, price) => {
        const { isProven, failedLately, ownRatio, hasImage } = knownOf(history, offer.machine_id, mark, now);
        const bootMs = expectedBootMs(image, offer, { ownRatio, recentRatios, hasImage });
        const failureChance = TUNING.cost.failureChance[isProven ? "proven" : "usual"];
        const imageBytes = hasImage ? 0 : expectedBytes(image);
        const cost = expectedCost(offer, price, { bootMs, jobMs, imageBytes, failureChance });
        const strange = isKept ? "unproven" : "none";
        return { bootMs, standing: isKept && isProven ? "proven" : strange, failedLately, hasImage, cost };
    };
}

;// CONCATENATED MODULE: ./lib/money/what-bills.js
/** The state of the bill when no create was ever sent. */
const NOTHING_RENTED = "Nothing was rented.";
/** … when what was rented is destroyed. */
const NOTHING_LEFT = "Nothing is rented any more.";
/** … when an instance may still turn up. */
const MAY_TURN_UP = "One create gave no answer: the post step looks for what may come of it.";

;// CONCATENATED MODULE: ./lib/market/market-errors.js


/** The market: no offer meets the inputs. */
class NoOfferError extends UserError {
    name = "NoOfferError";
    wishes;
    explanation;
    /** `after`: what came of it. */
    constructor(wishes, explanation, after = NOTHING_RENTED) {
        const { hint, sentence } = explanation;
        super(`${sentence} ${after} No offer matches: ${wishes}.`, { hint, kind: "no-machine" });
        this.wishes = wishes;
        this.explanation = explanation;
    }
}
/** The volume: what volume-id names is not there. */
class VolumeUnknownError extends UserError {
    name = "VolumeUnknownError";
    constructor(sentence) {
        super(`${sentence} ${NOTHING_RENTED}`, {
            hint: "Check volume-id: with volume-create-new: true it is the id of a volume offer, else that of a volume of this account.",
        });
    }
}

;// CONCATENATED MODULE: ./lib/market/offer-facts.js
/**
 * A card reports less than its nominal memory: an A40 of 48 GB down to 45,634 MB, 7.2% less, for
 * its error correction. The next smaller card (11 of 12 GB, 22 of 24) has 8.3% less. So 8% less
 * counts as nominal.
 */
const REPORTED_SHARE = 0.92;
/** The `gpu_ram`, in MB of 2^20 bytes, that a card of that nominal size reports at the least. */
function leastGpuRamMb(nominalGb) {
    return Math.floor(nominalGb * 1024 * REPORTED_SHARE);
}
/** Seed: `verified`, a boolean. The service answers `verification`, a word. Undefined: not told. */
function isVerified({ verification, verified }) {
    return verification === undefined ? verified : verification === "verified";
}
/** Reliability of the host, 0 to 1, under either of its names. */
function reliabilityOf(offer) {
    return offer.reliability ?? offer.reliability2;
}
/** The country's two letters; the service answers "Region, CC" or ", CC". */
function countryOf({ geolocation }) {
    return geolocation?.slice(-2).toUpperCase() || undefined;
}
/** True for a certified data centre; the filter is `datacenter`, the answer `hosting_type`. */
function isDatacenter({ hosting_type }) {
    return hosting_type === undefined ? undefined : hosting_type >= 1;
}
/** The offer's part of the machine's `cpu_ram`, by its part of the cores. GB of 1000 MB. */
function cpuRamShareGb({ cpu_ram, cpu_cores, cpu_cores_effective, gpu_frac }) {
    if (cpu_ram === undefined)
        return undefined;
    // `cpu_cores` was seen to be null; the share of the GPUs is the next best guess.
    const share = cpu_cores && cpu_cores_effective ? cpu_cores_effective / cpu_cores : (gpu_frac ?? 1);
    return (cpu_ram * Math.min(1, share)) / 1000;
}
/** The service's documentation writes underscores in names, its answers blanks. */
function sameName(left, right) {
    return foldName(left) === foldName(right);
}
function foldName(name) {
    return name.replaceAll("_", " ").trim().toLowerCase();
}

;// CONCATENATED MODULE: ./lib/market/gpu-names.js

/** The service's names of GPUs, as its pages list them in 2026; searches add those they show. */
const KNOWN = `RTX 5090, RTX 5080, RTX 5070 Ti, RTX 5070, RTX 5060 Ti, RTX 5060, RTX 4090, RTX 4090D, RTX 4080S, RTX 4080, RTX 4070S Ti,
RTX 4070 Ti, RTX 4070S, RTX 4070, RTX 4060 Ti, RTX 4060, RTX 3090 Ti, RTX 3090, RTX 3080 Ti, RTX 3080, RTX 3070 Ti, RTX 3070, RTX 3060 Ti,
RTX 3060, RTX 2080 Ti, RTX 2080, RTX 2070, RTX 2060, GTX 1080 Ti, GTX 1080, GTX 1070, RTX A6000, RTX A5000, RTX A4000, RTX A2000,
RTX 6000Ada, RTX 5000Ada, RTX 4000Ada, RTX PRO 6000 WS, RTX PRO 6000 S, A100 SXM4, A100 PCIE, A100X, H100 SXM, H100 PCIE, H100 NVL, H200,
H200 NVL, B200, L4, L40, L40S, A10, A16, A30, A40, Tesla T4, Tesla V100, Tesla P100, Titan RTX, Titan V, Q RTX 8000, Q RTX 6000`
    .split(/,\s+/)
    .map((name) => name.trim());
const MOST_NAMES = 3;
/** So many slips of the hand make another name. */
const MOST_SLIPS = 1;
/**
 * Names as the search asks for them. The service documents underscores, answers blanks, and
 * compares letter by letter: `l40s` would find nothing. As written, too: our list may be the older.
 */
function askedNames(names) {
    const spelled = names.flatMap((name) => [name.replaceAll("_", " "), ...KNOWN.filter((each) => sameName(each, name))]);
    return [...new Set(spelled)];
}
/** The names that somebody may have meant who wrote one that nobody has, nearest first. */
function nearestNames(written, shown) {
    const meant = fold(written);
    const names = [...new Set([...KNOWN, ...shown])];
    const found = [
        ...names.filter((name) => fold(name) === meant),
        ...names.filter((name) => fold(name).includes(meant) || meant.includes(fold(name))),
        ...names.filter((name) => slips(fold(name), meant) <= MOST_SLIPS),
    ];
    return [...new Set(found)].slice(0, fold(found[0] ?? "") === meant ? 1 : MOST_NAMES);
}
function fold(name) {
    return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}
/** How many letters are another, too many or missing. */
function slips(left, right) {
    let row = Array.from({ length: right.length + 1 }, (_none, index) => index);
    for (const [done, letter] of [...left].entries()) {
        const next = [done + 1];
        for (const [index, other] of [...right].entries()) {
            const changed = (row[index] ?? 0) + Number(letter !== other);
            next.push(Math.min(changed, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
        }
        row = next;
    }
    return row.at(-1) ?? 0;
}

;// CONCATENATED MODULE: ./lib/market/explain-no-offer.js




/**
 * Explains by the market's offers of these GPUs which other wish kept them all away. `others`:
 * offers of other GPUs, judged by all else.
 */
function explainNoOffer(wishes, market, others = []) {
    const explained = explainMarket(wishes, market, others);
    const fitting = others.filter(({ objections, offer }) => objections.length === 0 && !isAsked(offer.gpu_name, wishes));
    const other = commonest(fitting);
    // Who wrote a name that nobody has meant one that is named already.
    if (other === undefined || explained.input === "gpu-name")
        return explained;
    return { ...explained, hint: `${explained.hint} Or add ${other.name} to gpu-name: ${other.fit}.` };
}
function explainMarket(wishes, market, others) {
    const unshown = market.filter(({ objections }) => objections.length === 0);
    if (unshown.length > 0)
        return explainUnshown(unshown);
    const near = nearest(wishes, market);
    if (near)
        return near.rule.field === "dph_total" ? explainPrice(wishes, near) : explainRule(near);
    const widenable = market.filter(({ objections }) => objections.every(({ rule }) => rule?.remedy !== undefined));
    const [offer] = widenable.toSorted((left, right) => left.objections.length - right.objections.length);
    return offer ? explainSeveral(offer) : explainNone(wishes, market, others);
}
/** The rule that alone keeps the most offers away; among equals, the cheapest of them. */
function nearest(wishes, market) {
    const byRule = Map.groupBy(market.filter(({ objections }) => objections.length === 1), ({ objections }) => objections[0]?.rule);
    const nears = [...byRule].flatMap(([rule, offers]) => {
        const measure = (each) => rule?.measure?.(each.offer, wishes) ?? 0;
        const [first, ...others] = offers.toSorted((left, right) => measure(right) - measure(left) || left.price.total - right.price.total);
        return rule?.remedy && first ? [{ rule, remedy: rule.remedy, offers: [first, ...others] }] : [];
    });
    const [most] = nears.toSorted((left, right) => right.offers.length - left.offers.length || cheapest(left.offers) - cheapest(right.offers));
    return most;
}
function explainPrice(wishes, { offers: [first] }) {
    // Rounded up, so that the price that is named is one that would do.
    const price = formatPrice(Math.ceil(first.price.total * 100) / 100);
    return {
        sentence: `No ${nameGpus(wishes)} under ${formatLimit(wishes.maxPrice)} per hour: the cheapest that fits otherwise is ${price}.`,
        hint: `Raise max-price to ${price} or more.`,
    };
}
function explainRule({ remedy, offers }) {
    const [first] = offers;
    const count = offers.length === 1 ? "one offer" : `${offers.length} offers`;
    return {
        sentence: `Only ${remedy.input} keeps ${count} away, from ${formatPrice(cheapest(offers))} per hour; the nearest: ${whys(first)}.`,
        hint: `${remedy.verb} ${remedy.input}, or run the job again later.`,
        input: remedy.input,
    };
}
function explainSeveral(offer) {
    const remedies = offer.objections.flatMap(({ rule }) => (rule?.remedy ? [rule.remedy] : []));
    const todo = [...new Set(remedies.map(({ verb, input }) => `${verb.toLowerCase()} ${input}`))].join(", ");
    return {
        sentence: `The nearest offer fails in ${offer.objections.length} things: ${whys(offer)}.`,
        hint: `${todo.charAt(0).toUpperCase()}${todo.slice(1)}.`,
    };
}
/** The service kept these away, and we can't see by what. */
function explainUnshown(offers) {
    return {
        sentence: `Of these GPUs the service has ${offers.length === 1 ? "one offer" : `${offers.length} offers`}, from ${formatPrice(cheapest(offers))} per hour, which something keeps away that it does not show.`,
        hint: "Widen the min-… inputs, geolocation or offer-filter, one at a time.",
    };
}
function isAsked(name, { gpuNames }) {
    return gpuNames.some((each) => sameName(each, name));
}
/** The GPU of which most fit, and that in words: `17 fit, from 0.31 USD per hour`. */
function commonest(fitting) {
    const byName = [...Map.groupBy(fitting, ({ offer }) => offer.gpu_name)];
    const [most] = byName.toSorted(([, left], [, right]) => right.length - left.length || cheapest(left) - cheapest(right));
    if (most === undefined)
        return undefined;
    const [name, offers] = most;
    const fit = offers.length === 1 ? "one fits" : `${offers.length} fit`;
    return { name: oneLine(name, 60), fit: `${fit}, from ${formatPrice(cheapest(offers))} per hour` };
}
function explainNone(wishes, market, others) {
    const reasons = [...new Set(market.map(whys))].slice(0, 5).join("; ");
    if (reasons) {
        return {
            sentence: `${market.length === 1 ? "The one offer that the service has can't" : `None of the ${market.length} offers that the service has can`} be had: ${reasons}.`,
            hint: "Run the job again later, or widen gpu-name or num-gpus.",
        };
    }
    const shown = others.map(({ offer }) => offer.gpu_name);
    const meant = [...new Set(wishes.gpuNames.flatMap((name) => nearestNames(name, shown)))];
    const asked = askedNames(wishes.gpuNames);
    if (meant.length > 0 && !meant.some((name) => asked.includes(name))) {
        const of = others.filter(({ objections, offer }) => objections.length === 0 && meant.includes(offer.gpu_name));
        const fit = commonest(of)?.fit;
        return {
            sentence: `The service shows no ${nameGpus(wishes)} at all: nobody has a GPU of that name.`,
            hint: `Set gpu-name to ${oneLine(meant.join(" or "), 200)}, the nearest that the service knows${fit === undefined ? "" : `: ${fit}`}.`,
            input: "gpu-name",
        };
    }
    return {
        sentence: `The service shows no ${nameGpus(wishes)} at all.`,
        hint: "Widen gpu-name or num-gpus, and check that gpu-name is spelled as on the service's site.",
    };
}
/** As one says it: `RTX 4090 or L40S`, but `2 × RTX 4090`. */
function nameGpus({ gpuNames, numGpus }) {
    const names = gpuNames.join(" or ") || "GPU";
    return numGpus === 1 ? names : `${numGpus} × ${names}`;
}
function cheapest(offers) {
    // Not by Math.min of them all: a function takes no hundred thousand arguments.
    return offers.reduce((lowest, { price }) => Math.min(lowest, price.total), Number.POSITIVE_INFINITY);
}
function whys({ objections }) {
    return oneLine(objections.map(({ why }) => why).join(", "), 150);
}

;// CONCATENATED MODULE: ./lib/market/given-filter.js

/** Promised by other inputs: a filter on the same field can only ask for more. */
const HELD = new Set(["dph_total", "disk_space", "duration", "max_cost", "num_gpus"]);
/** True for a field whose own rule holds whatever the given filter says of it. */
function isHeld(field) {
    return HELD.has(field);
}
/** Merges the given filter last: a field that it names is its own, except those that are held. */
function mergeFilter(ours, given) {
    const merged = Object.entries(given).map(([field, filter]) => [
        field,
        isHeld(field) ? { ...filter, ...ours[field] } : filter,
    ]);
    return { ...ours, ...Object.fromEntries(merged) };
}
const OPERATORS = {
    eq: (actual, wanted) => isTrueOf(compare(actual, wanted), (order) => order === 0),
    neq: (actual, wanted) => isTrueOf(compare(actual, wanted), (order) => order !== 0),
    gt: (actual, wanted) => isTrueOf(compare(actual, wanted), (order) => order > 0),
    gte: (actual, wanted) => isTrueOf(compare(actual, wanted), (order) => order >= 0),
    lt: (actual, wanted) => isTrueOf(compare(actual, wanted), (order) => order < 0),
    lte: (actual, wanted) => isTrueOf(compare(actual, wanted), (order) => order <= 0),
    in: (actual, wanted) => list(wanted).some((each) => OPERATORS.eq(actual, each)),
    notin: (actual, wanted) => list(wanted).every((each) => OPERATORS.neq(actual, each)),
};
/** The words that a filter may use. */
const FILTER_OPERATORS = Object.keys(OPERATORS);
/** Fields whose answer has another name or form than their filter. */
const READERS = {
    verified: isVerified,
    datacenter: isDatacenter,
    geolocation: countryOf,
};
/** The answer's value for a filter's field; undefined: none. */
function shownOf(offer, field) {
    const read = Object.hasOwn(READERS, field) ? READERS[field] : undefined;
    return read ? read(offer) : (offer[field] ?? undefined);
}
/** True when the answer contradicts a filter. Values not shown, or not comparable, don't. */
function contradicts(offer, field, filter) {
    const actual = shownOf(offer, field);
    if (actual === undefined)
        return false;
    return FILTER_OPERATORS.some((operator) => filter[operator] !== undefined && !OPERATORS[operator](actual, filter[operator]));
}
/** Below, equal to or above 0, as `actual` is to `wanted`; undefined: not comparable. */
function compare(actual, wanted) {
    if (typeof actual === "string" && typeof wanted === "string") {
        if (sameName(actual, wanted))
            return 0;
        return actual < wanted ? -1 : 1;
    }
    const order = numberOf(actual) - numberOf(wanted);
    return Number.isNaN(order) ? undefined : order;
}
/** A number, also from a text; a truth value is 0 or 1. The service uses all these forms. */
function numberOf(value) {
    if (typeof value !== "string")
        return Number(value);
    if (/^(true|false)$/i.test(value))
        return Number(value.toLowerCase() === "true");
    return value.trim() === "" ? Number.NaN : Number(value);
}
function isTrueOf(order, holds) {
    return order === undefined || holds(order);
}
function list(wanted) {
    return Array.isArray(wanted) ? wanted : [wanted];
}

;// CONCATENATED MODULE: ./lib/market/offer-rule.js
/** The row of an input that asks for a least amount; 0 asks for nothing. */
function atLeast(rule) {
    const { least, told } = rule;
    const asked = rule.asked ?? least;
    const amount = (offer) => rule.value(offer) ?? Number.POSITIVE_INFINITY;
    return {
        field: rule.field,
        remedy: { verb: "Lower", input: rule.input },
        asked: (wishes) => (asked(wishes) > 0 ? { gte: asked(wishes) } : undefined),
        ...(told && { told: (wishes) => (least(wishes) > 0 ? `${told(wishes)} or more` : undefined) }),
        broken: (offer, wishes) => amount(offer) < least(wishes),
        why: (offer) => rule.why(amount(offer)),
        measure: amount,
    };
}
/** Any of these values; none: nothing is asked. */
function anyOf([first, ...others]) {
    if (first === undefined)
        return undefined;
    return others.length > 0 ? { in: [first, ...others] } : { eq: first };
}

;// CONCATENATED MODULE: ./lib/market/offer-wishes.js
/** A filter in words that are the service's: `gte 500`. */
function describeFilter(filter) {
    return Object.entries(filter)
        .map(([operator, value]) => `${operator} ${Array.isArray(value) ? value.join("|") : String(value)}`)
        .join(" and ");
}
/** A CUDA version as people write it: 13 is 13.0. */
function formatCuda(version) {
    return Number.isInteger(version) ? version.toFixed(1) : String(version);
}

;// CONCATENATED MODULE: ./lib/market/machine-rules.js




/** The rules about the machine, in the order in which they are told. */
const MACHINE_RULES = [
    {
        ...atLeast({
            field: "reliability",
            input: "min-reliability",
            value: reliabilityOf,
            least: (wishes) => wishes.minReliability,
            why: (value) => `reliability ${value.toFixed(3)}`,
        }),
        asked: ({ minReliability }) => ({ gte: minReliability }),
        told: ({ minReliability }) => `reliability ${minReliability} or more`,
    },
    {
        ...atLeast({
            field: "disk_space",
            input: "disk",
            value: (offer) => offer.disk_space,
            least: (wishes) => wishes.diskGb,
            why: (value) => `only ${value} GB of disk`,
        }),
        told: ({ diskGb }) => `${diskGb} GB of disk`,
    },
    atLeast({
        field: "duration",
        input: "max-lifetime",
        value: (offer) => offer.duration,
        least: (wishes) => wishes.durationSeconds,
        why: (value) => `rentable for only ${Math.floor(value / 3600)} h`,
    }),
    atLeast({
        field: "gpu_ram",
        input: "min-gpu-ram-gb",
        value: (offer) => offer.gpu_ram,
        least: (wishes) => leastGpuRamMb(wishes.minGpuRamGb),
        told: (wishes) => `${wishes.minGpuRamGb} GB of GPU memory`,
        why: (value) => `only ${(value / 1024).toFixed(1)} GB of GPU memory`,
    }),
    atLeast({
        field: "compute_cap",
        input: "min-compute-cap",
        value: (offer) => offer.compute_cap,
        least: (wishes) => Math.round(wishes.minComputeCap * 100),
        told: (wishes) => `compute capability ${wishes.minComputeCap.toFixed(1)}`,
        why: (value) => `compute capability ${(value / 100).toFixed(1)}`,
    }),
    atLeast({
        field: "cuda_max_good",
        input: "min-cuda",
        value: (offer) => offer.cuda_max_good,
        least: (wishes) => wishes.minCuda,
        told: (wishes) => `CUDA ${formatCuda(wishes.minCuda)}`,
        why: (value) => `a driver for CUDA ${formatCuda(value)}`,
    }),
    atLeast({
        field: "cpu_cores_effective",
        input: "min-cpu-cores",
        value: (offer) => offer.cpu_cores_effective,
        least: (wishes) => wishes.minCpuCores,
        told: (wishes) => `${wishes.minCpuCores} CPU cores`,
        why: (value) => `only ${value} CPU cores`,
    }),
    atLeast({
        field: "cpu_ram",
        input: "min-cpu-ram-gb",
        value: cpuRamShareGb,
        least: (wishes) => wishes.minCpuRamGb,
        // Filters the machine's memory; that the offer's share is enough is checked on our side.
        asked: (wishes) => wishes.minCpuRamGb * 1000,
        told: (wishes) => `${wishes.minCpuRamGb} GB of memory`,
        why: (value) => `only ${value.toFixed(1)} GB of memory`,
    }),
    atLeast({
        field: "inet_down",
        input: "min-inet-down-mbps",
        value: (offer) => offer.inet_down,
        least: (wishes) => wishes.minInetDownMbps,
        told: (wishes) => `${wishes.minInetDownMbps} Mbit/s down`,
        why: (value) => `only ${Math.floor(value)} Mbit/s down`,
    }),
    {
        field: "geolocation",
        remedy: { verb: "Widen", input: "geolocation" },
        asked: ({ countries }) => anyOf(countries),
        told: ({ countries }) => (countries.length > 0 ? `in ${countries.join(" or ")}` : undefined),
        broken: (offer, { countries }) => countries.length > 0 && isElsewhere(offer, countries),
        why: (offer) => `in ${oneLine(countryOf(offer) ?? "an unknown country")}`,
    },
    {
        field: "datacenter",
        remedy: { verb: "Leave out", input: "datacenter" },
        asked: ({ needsDatacenter }) => (needsDatacenter ? { eq: true } : undefined),
        told: ({ needsDatacenter }) => (needsDatacenter ? "in a data centre" : undefined),
        broken: (offer, { needsDatacenter }) => needsDatacenter && isDatacenter(offer) === false,
        why: () => "not in a data centre",
    },
    {
        // Not a field of the service, as a volume is a part of one machine and asks for that.
        field: "volume",
        remedy: { verb: "Change", input: "volume-id" },
        told: ({ machine }) => (machine === undefined ? undefined : `on machine ${machine}, where the volume is`),
        broken: ({ machine_id }, { machine }) => machine !== undefined && machine_id !== undefined && machine_id !== machine,
        why: (_offer, { machine }) => `the volume is on machine ${machine}`,
    },
    {
        field: "machine_id",
        remedy: { verb: "Shorten", input: "exclude-machines" },
        asked({ machine, excludedMachines }) {
            if (machine !== undefined)
                return { eq: machine };
            return excludedMachines.length > 0 ? { notin: excludedMachines } : undefined;
        },
        told: ({ excludedMachines }) => excludedMachines.length > 0 ? `not machine ${excludedMachines.join(" or ")}` : undefined,
        broken: ({ machine_id }, wishes) => machine_id !== undefined && wishes.excludedMachines.includes(machine_id),
        why: () => "its machine is excluded",
    },
];
/** A country that is not told is not elsewhere: the search asked for it. */
function isElsewhere(offer, countries) {
    const country = countryOf(offer);
    return country !== undefined && !countries.includes(country);
}

;// CONCATENATED MODULE: ./lib/money/budget.js


const budget_HOUR_MS = 3_600_000;
/** The least work, after boot and runner, that the money must last for; less where less may be. */
const LEAST_WORK_MS = 300_000;
/** A boot that takes longer than this is a bad one, whatever it is allowed to take. */
const USUAL_BOOT_MS = 600_000;
/** So much of that is for the image. */
const USUAL_PULL_MS = 420_000;
/** From deadline to gone: the machine looks every 15 s, and its destruction takes some more. */
const ENDING_MS = 60_000;
/** Time for a big image on a slow line, beyond the usual boot. */
function moreToPull(offer, { imageBytes }) {
    return imageBytes === undefined ? 0 : Math.max(0, pullMs(imageBytes, offer) - USUAL_PULL_MS);
}
/** The cost of the shortest sensible use of an offer, in USD, known bytes included. */
function leastCost(price, offer, budget) {
    const leastMs = budget.leastMs + moreToPull(offer, budget) + ENDING_MS;
    return (price.total * leastMs) / budget_HOUR_MS + bytesUsd(offer, budget);
}
/** The most in USD per hour at which the shortest sensible use can be paid, without bytes. */
function highestPrice(budget) {
    return (Math.max(0, budget.left) / (budget.leastMs + ENDING_MS)) * budget_HOUR_MS;
}
/** How long a machine can be paid with what is left, in milliseconds; its end is paid, too. */
function affordableMs(price, offer, budget) {
    if (price.total <= 0)
        return Number.POSITIVE_INFINITY;
    const left = Math.max(0, budget.left - bytesUsd(offer, budget));
    return Math.max(0, (left / price.total) * budget_HOUR_MS - ENDING_MS);
}
/** The cost of a machine's end, from its deadline to gone, in USD. */
function endingCost({ total }) {
    return (total * ENDING_MS) / budget_HOUR_MS;
}
function bytesUsd({ inet_down_cost }, { imageBytes }) {
    return knownBytesUsd(inet_down_cost, imageBytes) ?? 0;
}
/** The shortest time worth renting for, in milliseconds: boot, runner, and least work. */
function leastMs({ bootMs, lifetimeMs, onlineMs }) {
    return Math.min(bootMs, USUAL_BOOT_MS) + onlineMs + Math.min(LEAST_WORK_MS, lifetimeMs);
}

;// CONCATENATED MODULE: ./lib/market/money-rules.js



/**
 * The rules about money, in the order in which they are told. A cost that is not a number must not
 * pass: so `!(a <= b)`, never `a > b`.
 */
const MONEY_RULES = [
    {
        // A bid below the lowest makes a stopped instance, which bills its disk.
        field: "lowest_bid",
        remedy: { verb: "Raise", input: "bid-price" },
        told: describeBid,
        broken: (offer, { bid, diskGb }) => bid?.price !== undefined && !(bid.price >= lowestBid(offer, diskGb)),
        why: (offer, { diskGb }) => `the lowest bid is ${formatLimit(roundedUp(lowestBid(offer, diskGb)))}`,
        measure: (offer, { diskGb }) => -lowestBid(offer, diskGb),
    },
    {
        field: "dph_total",
        remedy: { verb: "Raise", input: "max-price" },
        asked: (wishes) => ({ lte: priceCap(wishes) }),
        told: ({ maxPrice }) => `at most ${formatLimit(maxPrice)} per hour`,
        broken: (offer, wishes) => !(priceOf(offer, wishes).total <= wishes.maxPrice),
        why: (offer, wishes) => `${formatBeside(priceOf(offer, wishes).total, wishes.maxPrice)} per hour with storage`,
        measure: (offer, wishes) => -priceOf(offer, wishes).total,
    },
];
/** The rest of `max-cost` must pay for the shortest sensible use of an offer. */
const MAX_COST_RULE = {
    field: "max_cost",
    remedy: { verb: "Raise", input: "max-cost" },
    told: ({ budget }) => budget && `within ${formatPrice(Math.max(0, budget.left))} for all of it`,
    broken: (offer, wishes) => wishes.budget !== undefined && !(leastOf(offer, wishes) <= wishes.budget.left),
    why: describeLeast,
    measure: (offer, wishes) => -leastOf(offer, wishes),
};
/** The price that `max-cost` allows, asked for where the cheapest need not come first. */
function priceCap({ budget, maxPrice, order }) {
    const cheapestFirst = order === "price" || order === "auto";
    return budget === undefined || cheapestFirst ? maxPrice : Math.min(maxPrice, highestPrice(budget));
}
function describeLeast(offer, wishes) {
    const left = Math.max(0, wishes.budget?.left ?? 0);
    return `the shortest use costs ${formatBeside(leastOf(offer, wishes), left)}, and max-cost has ${formatPrice(left)} left`;
}
function leastOf(offer, wishes) {
    const { budget } = wishes;
    return budget === undefined ? 0 : leastCost(priceOf(offer, wishes), offer, budget);
}
/** The bid that is named is one that would do; 1.1 × 10,000 is a little more than 11,000. */
function roundedUp(usd) {
    return Math.ceil(usd * 10_000 - 1e-6) / 10_000;
}
function describeBid({ bid }) {
    if (bid === undefined)
        return undefined;
    return bid.price === undefined ? "interruptible" : `interruptible at a bid of ${formatLimit(bid.price)} per hour`;
}

;// CONCATENATED MODULE: ./lib/market/offer-rules.js








/** A demand on every offer, whatever is wished; the widest search asks it, too. */
function always(field, wanted, why) {
    const asked = () => ({ eq: wanted });
    return { field, isWide: true, asked, broken: (offer) => (shownOf(offer, field) ?? wanted) !== wanted, why };
}
const ALWAYS = [
    always("rentable", true, () => "not rentable"),
    always("rented", false, () => "already rented"),
    always("external", false, () => "external"),
    always("verified", true, ({ verification = "false" }) => `not verified (${oneLine(verification)})`),
    always("cpu_arch", "amd64", ({ cpu_arch }) => `cpu_arch ${oneLine(String(cpu_arch))}`),
];
const GPU_RULES = [
    {
        field: "num_gpus",
        isWide: true,
        remedy: { verb: "Change", input: "num-gpus" },
        asked: ({ numGpus }) => ({ eq: numGpus }),
        told: ({ numGpus, gpuNames }) => `${numGpus} × ${gpuNames.join(" or ") || "any GPU"}`,
        broken: (offer, { numGpus }) => offer.num_gpus !== numGpus,
        why: (offer) => `${offer.num_gpus} GPUs`,
    },
    {
        field: "gpu_name",
        isWide: true,
        remedy: { verb: "Widen", input: "gpu-name" },
        asked: ({ gpuNames }) => anyOf(askedNames(gpuNames)),
        broken: (offer, { gpuNames }) => gpuNames.length > 0 && !gpuNames.some((name) => sameName(name, offer.gpu_name)),
        why: (offer) => `another GPU (${oneLine(offer.gpu_name)})`,
    },
];
/** Ours, in the order in which they are told. */
const RULES = [...ALWAYS, ...GPU_RULES, ...MONEY_RULES, ...MACHINE_RULES, MAX_COST_RULE];
/** Our rules, less those whose field the given filter takes over, and one for each field of it. */
function rulesOf({ filter: given }) {
    const ours = RULES.filter(({ field }) => isHeld(field) || !Object.hasOwn(given, field));
    const theirs = Object.entries(given).map(([field, filter]) => ({
        field,
        remedy: { verb: "Widen", input: "offer-filter" },
        told: () => `${field} ${describeFilter(filter)}`,
        broken: (offer) => contradicts(offer, field, filter),
        why: (offer) => `${field} ${oneLine(String(shownOf(offer, field)), 60)}`,
    }));
    return [...ours, ...theirs];
}
/** The filters of our own rules: of all, or only those of the widest search. */
function askedBy(wishes, which) {
    const rows = RULES.filter(({ isWide }) => which === "all" || isWide);
    return Object.fromEntries(rows.flatMap(({ field, asked }) => {
        const filter = asked?.(wishes);
        return filter === undefined ? [] : [[field, filter]];
    }));
}
/** The wishes in words, for messages: `1 × RTX 4090, at most 0.60 USD per hour, …`. */
function describeWishes(wishes) {
    return rulesOf(wishes)
        .flatMap(({ told }) => told?.(wishes) ?? [])
        .join(", ");
}

;// CONCATENATED MODULE: ./lib/market/judge-offer.js

/** Reasons against an offer; empty when it fits. The service may ignore its filters. */
function judgeOffer(offer, wishes) {
    return rulesOf(wishes)
        .filter((rule) => rule.broken(offer, wishes))
        .map((rule) => ({ rule, why: rule.why(offer, wishes) }));
}

;// CONCATENATED MODULE: ./lib/market/offer-order.js
/** More reliable first among equals. */
const BY_PRICE = (left, right) => left.price.total - right.price.total || (right.offer.reliability ?? 0) - (left.offer.reliability ?? 0);
/** A job's cost; without expectations the price. */
const BY_COST = (left, right) => (left.expected?.cost.total ?? 0) - (right.expected?.cost.total ?? 0) || BY_PRICE(left, right);
/** How each `order` is asked for, and kept. */
const ORDERINGS = {
    auto: { wire: [["dph_total", "asc"]], compare: failedLast(BY_COST) },
    price: { wire: [["dph_total", "asc"]], compare: failedLast(BY_PRICE) },
    score: highestFirst("score"),
    dlperf_per_dphtotal: highestFirst("dlperf_per_dphtotal"),
};
/** Failed a short time ago: last, but not excluded, for it may be the only one. */
function failedLast(compare) {
    const hasFailed = ({ expected }) => Number(expected?.failedLately ?? false);
    return (left, right) => hasFailed(left) - hasFailed(right) || compare(left, right);
}
/** Offers that don't show the field come last, in the service's order. */
function highestFirst(field) {
    const value = ({ offer }) => offer[field] ?? Number.NEGATIVE_INFINITY;
    return {
        wire: [[field, "desc"]],
        compare: failedLast((left, right) => (value(left) === value(right) ? 0 : value(right) - value(left))),
    };
}

;// CONCATENATED MODULE: ./lib/market/offer-query.js



/** The service was seen to answer at most 64 rows, whatever it is asked for. */
const MOST_OFFERS = 64;
/** The search for these wishes, in their order. */
function offerQuery(wishes) {
    return queryFor(wishes, mergeFilter(askedBy(wishes, "all"), wishes.filter));
}
/** The search for the GPUs alone, which tells what else keeps offers away. */
function widerQuery(wishes) {
    return queryFor(wishes, askedBy(wishes, "wide"));
}
function queryFor({ bid, order, diskGb }, filters) {
    return {
        filters,
        type: bid ? "bid" : "on-demand",
        order: ORDERINGS[order].wire,
        limit: MOST_OFFERS,
        allocated_storage: diskGb,
    };
}
/** The same search from the last offer on; undefined: unknown how, or the answer was not full. */
function nextQuery(query, answer) {
    const [[field, direction] = []] = query.order;
    const last = field === undefined ? undefined : answer.at(-1)?.[field];
    if (field === undefined || typeof last !== "number" || answer.length < MOST_OFFERS)
        return undefined;
    // Its own filter on that field holds for the last offer, so the bound may stand beside it.
    const from = direction === "asc" ? { gte: last } : { lte: last };
    return { ...query, filters: { ...query.filters, [field]: { ...query.filters[field], ...from } } };
}
/**
 * The same search in the specification's words: operators eq, gte and in, direction desc, its own
 * keys. The rest is checked on our side, as far as the answer shows it.
 */
function seedQuery(query) {
    const isDescending = query.order.every(([, direction]) => direction === "desc");
    return {
        filters: Object.fromEntries(Object.entries(query.filters).filter(([, filter]) => isShown(filter))),
        type: query.type,
        order: isDescending ? query.order : [["dlperf_per_dphtotal", "desc"]],
        limit: query.limit,
    };
}
const SHOWN_OPERATORS = new Set(["eq", "gte", "in"]);
function isShown(filter) {
    return Object.keys(filter).every((operator) => SHOWN_OPERATORS.has(operator));
}

;// CONCATENATED MODULE: ./lib/market/look-at-market.js









/** Four times 64 offers: a market that has none that fits among them has few at the most. */
const MOST_PAGES = 4;
/** Asks for the offers that fit; if none, for all of these GPUs, to know what is missing. */
async function lookAtMarket(looking, wishes) {
    const considered = await considerPages(looking, wishes);
    const candidates = considered.filter(isFitting).sort(ORDERINGS[wishes.order].compare);
    const rejected = considered.filter(({ objections }) => objections.length > 0);
    if (candidates.length > 0)
        return { candidates, rejected };
    const wider = await lookWider(looking, wishes);
    const known = new Set(considered.map(({ offer }) => offer.id));
    const market = [...considered, ...wider.filter(({ offer }) => !known.has(offer.id))];
    const others = await lookAtOthers(looking, wishes);
    return {
        candidates: [],
        rejected: market.filter((each) => !isFitting(each)),
        explanation: explainNoOffer(wishes, market, others),
    };
}
function isFitting({ objections }) {
    return objections.length === 0;
}
/**
 * The service shows 64 offers and has no pages. Where all of them break a rule that only we apply,
 * such as the share of memory, the search goes on from the last one: later ones may fit.
 */
async function considerPages(looking, wishes) {
    const known = new Map();
    let query = offerQuery(wishes);
    for (let page = 1; query !== undefined && page <= MOST_PAGES; page += 1) {
        const offers = await ask(looking, query, wishes.filter);
        const found = consider(looking, wishes, offers).filter(({ offer }) => !known.has(offer.id));
        for (const each of found)
            known.set(each.offer.id, each);
        query = found.length === 0 || found.some(isFitting) ? undefined : nextQuery(query, offers);
    }
    return [...known.values()];
}
/** The market's offers of these GPUs. */
function lookWider(looking, wishes) {
    return attempt(looking, async () => consider(looking, wishes, await ask(looking, widerQuery(wishes))));
}
/** Offers of other GPUs that meet all else; of every kind where any would have done. */
async function lookAtOthers(looking, wishes) {
    const others = { ...wishes, gpuNames: [] };
    if (wishes.gpuNames.length === 0)
        return [];
    return await attempt(looking, async () => consider(looking, others, await ask(looking, offerQuery(others), others.filter)));
}
/** Best effort: it only serves to explain. */
async function attempt(looking, look) {
    try {
        return await look();
    }
    catch (error) {
        looking.signal.throwIfAborted();
        if (!(error instanceof UserError))
            throw error;
        looking.log.info(`What the market has otherwise could not be seen: ${error.message}`);
        return [];
    }
}
function consider(looking, wishes, offers) {
    const expect = wishes.knowledge && expectations(wishes.knowledge);
    return offers.map((offer) => {
        const excluded = looking.exclude(offer);
        const objections = excluded === undefined ? judgeOffer(offer, wishes) : [{ why: excluded }];
        const price = priceOf(offer, wishes);
        return { offer, price, expected: expect?.(offer, price), objections };
    });
}
/**
 * SPEC-SILENT: the full list of operators. A 400 on ours has us ask in the seed's words; one on the
 * user's own filter is the user's to mend: without it the wrong offers would be judged.
 */
async function ask({ service, log, signal }, query, given = {}) {
    try {
        return await service.searchOffers(query, signal);
    }
    catch (error) {
        if (!(error instanceof RequestRejectedError) || error.status !== 400)
            throw error;
        if (error.sentence.split(/\W+/).some((word) => Object.hasOwn(given, word)))
            throw error;
        const plain = seedQuery(query);
        const offers = await service.searchOffers(plain, signal);
        tellDropped(log, query, plain, error.sentence);
        return offers;
    }
}
function tellDropped(log, asked, plain, refusal) {
    const dropped = Object.entries(asked.filters).filter(([field]) => !Object.hasOwn(plain.filters, field));
    if (dropped.length === 0)
        return;
    const words = dropped.map(([field, filter]) => `${field} ${describeFilter(filter)}`).join(", ");
    log.info(`The service refused the search (${refusal}) and took a plainer one. Checked here, where offers show it: ${words}.`);
}

;// CONCATENATED MODULE: ./lib/market/search.js






const MOST_LINES = 12;
/** The offers that meet the wishes, in order. Throws NoOfferError when there are none. */
async function searchForOffers({ service, log, signal }, wishes, excluded) {
    log.info(`Searching for ${oneLine(describeWishes(wishes), 600)}.`);
    const looking = { service, log, signal, exclude: (offer) => whyExcluded(offer, excluded) };
    const market = await lookAtMarket(looking, wishes);
    search_tell(log, market);
    if (market.explanation !== undefined)
        throw new NoOfferError(describeWishes(wishes), market.explanation);
    return [...market.candidates];
}
function whyExcluded(offer, { machines, offers, taken }) {
    if (offers.includes(offer.id) || machines.includes(offer.machine_id ?? Number.NaN))
        return "its machine failed before";
    return taken?.includes(offer.id) ? "somebody else had it" : undefined;
}
function search_tell(log, { candidates, rejected }) {
    for (const { offer, price, expected } of candidates.slice(0, MOST_LINES)) {
        const why = expected === undefined ? "" : `; ${describeExpectedCost(expected.cost)}`;
        log.info(`  ${describeOffer(offer)}: ${formatPrice(price.total)} per hour${why}`);
    }
    for (const { offer, price, objections } of rejected.slice(0, MOST_LINES)) {
        const why = objections.map((objection) => objection.why).join(", ");
        log.info(`  ${describeOffer(offer)}, ${formatPrice(price.total)} per hour: no, ${oneLine(why)}`);
    }
    const hidden = Math.max(0, candidates.length - MOST_LINES) + Math.max(0, rejected.length - MOST_LINES);
    if (hidden > 0)
        log.info(`  … and ${hidden} more`);
    log.info(`${candidates.length} of ${candidates.length + rejected.length} offers can be rented.`);
}
/** An offer in a few words of one line. */
function describeOffer(offer) {
    return `offer ${offer.id} (${offer.num_gpus} × ${oneLine(offer.gpu_name, 60)}, machine ${offer.machine_id ?? "unknown"})`;
}

;// CONCATENATED MODULE: ./lib/money/machine-limits.js


const { patience, shortestMs, longestMs } = TUNING.limits;
/** The limit to running under `boot-timeout: auto` for such a boot, in milliseconds. */
function autoBootLimitMs(expectedMs) {
    return Math.min(longestMs, Math.max(shortestMs, patience * expectedMs));
}
/** The limits of one machine: with `boot-timeout: auto` (`decidesBoot`) its own time to boot. */
function machineLimits(limits, decidesBoot, expectedMs) {
    return decidesBoot ? { ...limits, bootMs: autoBootLimitMs(expectedMs) } : limits;
}
/** The most time until a machine is ready, in milliseconds: its deadline counts from there. */
function longestToReadyMs({ bootMs, onlineMs, readyMs, }) {
    return Math.max(bootMs + onlineMs, readyMs);
}
/** `boot-timeout: auto` before any offer is known: enough for the latest possible deadline. */
function longestAutoBootMs({ onlineMs, readyMs }) {
    return longestToReadyMs({ bootMs: Math.min(longestMs, readyMs), onlineMs, readyMs }) - onlineMs;
}
/** The expected boot, for the log: `Expected to run in 2m 50s; it has 8m 30s.` */
function describeExpectedBoot(expectedMs, { bootMs }) {
    return `Expected to run in ${formatDuration(expectedMs)}; it has ${formatDuration(bootMs)}.`;
}

;// CONCATENATED MODULE: ./lib/fleet/state/end-machine.js
/** Ends a machine of the fleet. One that failed counts for the stop, and its host is left alone. */
function endMachine(fleet, machine, ending, { bidFallback }) {
    machine.ending = ending;
    const hadJob = machine.uses.some(({ job }) => job !== undefined);
    const hasFailed = ["failed", "lost", "dropped"].includes(ending.kind) || (["over", "deadline"].includes(ending.kind) && !hadJob);
    if (!hasFailed)
        return;
    fleet.failedSinceJob.push(machine.n);
    exclude(fleet, machine);
    if (ending.isOutbid && bidFallback)
        rentOnDemand(fleet);
}
/** The same of several, in a copy: what is decided next must know of them. */
function withEndings(fleet, endings, policy) {
    const { excluded, failedSinceJob, machines } = fleet;
    const after = {
        ...fleet,
        machines: machines.map((machine) => ({ ...machine })),
        failedSinceJob: [...failedSinceJob],
        excluded: { machines: [...excluded.machines], offers: [...excluded.offers] },
    };
    for (const { n, ending } of endings) {
        const machine = after.machines.find((each) => each.n === n);
        if (machine !== undefined)
            endMachine(after, machine, ending, policy);
    }
    return after;
}
/** Neither this offer nor another one of its machine is asked for again in this use. */
function exclude({ excluded }, { candidate: { offer } }) {
    excluded.offers.push(offer.id);
    if (offer.machine_id !== undefined)
        excluded.machines.push(offer.machine_id);
}
/** From now on no bid is made; what was found for bids is forgotten. */
function rentOnDemand(fleet) {
    if (!fleet.isOnDemand)
        fleet.market = undefined;
    fleet.isOnDemand = true;
}

;// CONCATENATED MODULE: ./lib/fleet/note-rent.js

/** Pause after a 429, or while GitHub can't be asked: grows, and not in step with other runs. */
const FIRST_PAUSE_MS = 12_000;
const LONGEST_PAUSE_MS = 120_000;
/** Takes the outcome of a create into the fleet. */
function noteRentOutcome(fleet, n, outcome, told) {
    const machine = fleet.machines.find((each) => each.n === n);
    if (machine === undefined)
        return;
    machine.act = undefined;
    if (outcome.kind !== "created")
        noteNotCreated(fleet, machine, outcome, told);
    else if (isAnothers(fleet, machine, outcome.instanceId))
        noteMistaken(fleet, machine, outcome.instanceId, told);
    else
        noteCreated(fleet, machine, outcome, told);
}
function isAnothers({ machines }, machine, id) {
    return machines.some((each) => each !== machine && each.instanceId === id);
}
/** The end of this machine would be that of the other one, and of its job. */
function noteMistaken(fleet, machine, id, { clock, log }) {
    log.warning(`machine ${machine.n}: the service answered with instance ${id}, which is another machine's.`);
    leaveAsStray(fleet, machine, { since: clock.now(), isUncertain: true });
    noteTaken(fleet, machine.candidate.offer.id, clock.now());
    exclude(fleet, machine);
}
/** Nothing is known to exist: no machine of the fleet, but what turns up under its label is one. */
function leaveAsStray(fleet, asked, how) {
    fleet.machines = fleet.machines.filter((each) => each !== asked);
    fleet.strays.push({ n: asked.n, asked, ...how });
}
function noteNotCreated(fleet, machine, outcome, told) {
    const { n } = machine;
    if (outcome.kind === "unregistered") {
        fleet.machines = fleet.machines.filter((each) => each !== machine);
        noteUnregistered(fleet, n, outcome.error, told);
        return;
    }
    const isUncertain = outcome.kind === "not-made" && outcome.why === "unknown";
    const isListed = outcome.isListed === true;
    leaveAsStray(fleet, machine, { since: told.clock.now(), isUncertain, isListed });
    if (outcome.kind === "refused")
        noteRefused(fleet, n, outcome, told);
    else
        noteNotMade(fleet, machine, outcome, told);
}
function noteCreated(fleet, machine, outcome, { clock, log, policy }) {
    const now = clock.now();
    machine.instanceId = outcome.instanceId;
    machine.report = outcome.report;
    machine.createdAt = now;
    fleet.pause = undefined;
    fleet.repositoryAlive += 1;
    log.info(`machine ${machine.n}: booting as instance ${outcome.instanceId}. It bills from now on, until it is destroyed.`);
    if (outcome.unwanted === undefined)
        return;
    log.warning(`The service refused, and made instance ${outcome.instanceId} all the same (${outcome.unwanted}). Destroying it.`);
    // A bid below the floor makes a stopped instance: that is to be outbid at once.
    const isOutbid = machine.candidate.price.bid !== undefined && /\bbid\b/i.test(outcome.unwanted);
    const ending = { kind: "failed", why: outcome.unwanted, isUnasked: false, blame: "refused", since: now };
    endMachine(fleet, machine, { ...ending, isOutbid }, policy);
}
function noteNotMade(fleet, machine, { why, sentence }, told) {
    if (why === "too-fast") {
        pause(fleet, told, `machine ${machine.n}: the service asks to come later`);
        return;
    }
    noteTaken(fleet, machine.candidate.offer.id, told.clock.now());
    if (why === "unknown")
        exclude(fleet, machine);
    const gone = `its offer was taken by somebody else (${sentence}). Trying the next one.`;
    const unknown = "no list showed an instance with its label: the create counts as not carried out.";
    told.log.info(`machine ${machine.n}: ${why === "gone" ? gone : unknown}`);
}
/** No create was sent. */
function noteUnregistered(fleet, n, error, told) {
    if (error.isPassing)
        pause(fleet, told, `machine ${n}: ${error.message}`, error);
    else
        fleet.refusal = { by: "registration", error: (after) => error.and(after) };
}
/** Machines that are alive count for the limit of an account: one that goes makes room. */
function noteRefused(fleet, n, { by, error }, told) {
    const mayPass = by === "spend-rate" && fleet.repositoryAlive > 0;
    if (!mayPass)
        fleet.refusal = { by, error };
    else
        pause(fleet, told, `machine ${n}: the service lets this account spend no more an hour`, error(""));
}
function noteTaken(fleet, id, at) {
    const times = fleet.taken.find((each) => each.id === id)?.times ?? 0;
    fleet.taken = [...fleet.taken.filter((each) => each.id !== id), { id, at, times: times + 1 }];
}
function pause(fleet, { clock, log }, what, error) {
    const times = (fleet.pause?.times ?? 0) + 1;
    const longest = Math.min(FIRST_PAUSE_MS * 1.6 ** (times - 1), LONGEST_PAUSE_MS);
    const waitMs = Math.round(longest * (1 + Math.random() * 0.3));
    fleet.pause = { until: clock.now() + waitMs, times, error };
    log.info(`${what}. Asking again in ${Math.round(waitMs / 1000)} s.`);
}

;// CONCATENATED MODULE: ./lib/fleet/state/stage.js

/** From running to its runner online, `setup` aside: later than this is late. */
const ONLINE_LATE_MS = TUNING.late.onlineMs;
/** Lists lag: two of them, asked for 15 s apart, must show what costs a machine or a job. */
const LOOKS_APART_MS = 14_000;
/** Not gone yet: it may bill. */
function isAlive({ goneAt }) {
    return goneAt === undefined;
}
/** The use that counts now; undefined: none is left. */
function currentUse({ uses }) {
    return uses.find(({ spentAt }) => spentAt === undefined);
}
/** A job runs by this use, as far as GitHub shows it. */
function hasJob({ job, runner }) {
    return runner === "busy" || runner === "cut-off" || job?.isOver === false;
}
/** A job is on it. */
function isBusy(machine) {
    const use = currentUse(machine);
    return use !== undefined && isAlive(machine) && hasJob(use);
}
/** Lists lag by seconds: a runner that is busy without a listed job for longer only seems so. */
const LISTED_WITHIN_MS = 300_000;
/** It is busy, and the list of jobs does not show with what. */
function isUnlisted(machine) {
    return isBusy(machine) && machine.uses.every(({ job }) => job?.isOver !== false);
}
/** The same, with a job that the list may still come to show. */
function awaitsListing(machine, now) {
    return isUnlisted(machine) && now - (currentUse(machine)?.busySince ?? now) < LISTED_WITHIN_MS;
}
/** Whether a use can still begin: no listener starts with less than half of max-lifetime left. */
function canBegin(use, machine, { lifetimeMs }, now) {
    const isFirst = use === machine.uses[0];
    return isFirst || use.onlineAt !== undefined || machine.deadline - now >= lifetimeMs / 2;
}
/** `keep-failed`: a job failed on it. Its script starts no further runner then. */
function isKeptForLook({ uses }, { keepFailedMs }) {
    return keepFailedMs > 0 && uses.some(({ job }) => job?.hasFailed);
}
/** A use is left that no job has. */
function hasUse(machine, policy, now) {
    if (isKeptForLook(machine, policy))
        return false;
    // Its runners are being registered.
    if (machine.uses.length === 0)
        return machine.instanceId === undefined;
    const use = currentUse(machine);
    return use !== undefined && canBegin(use, machine, policy, now);
}
/** No job is on it, and one may come, now or when it is ready. */
function isFree(machine, policy, now) {
    return isAlive(machine) && machine.ending === undefined && !isBusy(machine) && hasUse(machine, policy, now);
}
/** Its runner is online and has no job. */
function isReady(machine) {
    return (machine.ending === undefined && isAlive(machine) && currentUse(machine)?.runner === "online" && !isBusy(machine));
}
/** Another use begins on it when the job that runs is over. */
function hasNextUse(machine, policy, now) {
    const next = machine.uses.filter(({ spentAt }) => spentAt === undefined)[1];
    return isBusy(machine) && machine.ending === undefined && next !== undefined && canBegin(next, machine, policy, now);
}
/** Its container was seen running, or its host is silent, so that nobody can see. */
function mayHaveRun({ isSilent, runningAt }) {
    return runningAt !== undefined || isSilent === true;
}
/** It was ready at some time, or a job ran on it. */
function wasReady({ readyAt, uses }) {
    return readyAt !== undefined || uses.some(({ job }) => job !== undefined);
}
/** On its way, and slower than expected. */
function isLate(machine, now) {
    const { createdAt, runningAt, timing } = machine;
    const { setupMs = 0 } = timing;
    if (createdAt === undefined || wasReady(machine))
        return false;
    return runningAt === undefined ? now - createdAt > timing.lateMs : now - runningAt > ONLINE_LATE_MS + setupMs;
}
/** GitHub misses a runner later than this, and its clock and ours may differ by some seconds. */
const GITHUB_MISSES_MS = 30_000;
/** Its job ended badly long after the machine: GitHub missed its runner; no fault of the job. */
function wentWithMachine({ job, spentAt = 0 }, since) {
    return job?.isBad === true && spentAt - since > GITHUB_MISSES_MS;
}
/** The same of one whose runner had been away for long when its job ended. */
function wasMissed(use) {
    return use.offlineSince !== undefined && wentWithMachine(use, use.offlineSince);
}
/** The clocks of GitHub, of the machine and of this one differ by so much at most. */
const CLOCKS_DIFFER_MS = 5000;
/** Its job ended badly at the machine's deadline: the script there ends what still runs. */
function wasCutOff({ job, spentAt = 0 }, { deadline }) {
    return job?.isBad === true && spentAt >= deadline - CLOCKS_DIFFER_MS;
}
/** It counts against `machines`: those that are over don't, once no job can come to them. */
function isCounted(machine) {
    return isAlive(machine) && (machine.ending?.kind !== "over" || currentUse(machine) !== undefined);
}
/** How far it is, in a word. */
function stageOf(machine) {
    if (!isAlive(machine))
        return "gone";
    if (isBusy(machine))
        return "busy";
    if (machine.ending !== undefined || currentUse(machine) === undefined)
        return "over";
    if (isReady(machine))
        return "ready";
    if (machine.instanceId === undefined)
        return "asked";
    return machine.runningAt === undefined && !wasReady(machine) ? "booting" : "starting";
}
const FARNESS = ["asked", "booting", "starting", "ready", "busy"];
/** The farthest first, and of equals the one that was asked for first. */
function byFarness(left, right) {
    return FARNESS.indexOf(stageOf(right)) - FARNESS.indexOf(stageOf(left)) || left.n - right.n;
}

;// CONCATENATED MODULE: ./lib/fleet/plan/pick-offer.js

/** One search serves creates for so long. */
const MARKET_KEEPS_MS = 60_000;
/** An offer that was gone may be back after so long, three times as long after each refusal. */
const TAKEN_MS = 300_000;
const LONGER_BY = 3;
/** The best offer that is neither taken nor failed; machines that are not in use come first. */
function pickOffer(fleet, now) {
    const { market, excluded, machines } = fleet;
    const taken = takenOffers(fleet, now);
    const left = (market?.candidates ?? []).filter(({ offer }) => !taken.includes(offer.id) &&
        !excluded.offers.includes(offer.id) &&
        !excluded.machines.includes(offer.machine_id ?? Number.NaN));
    const alive = machines.filter(isAlive).map(({ candidate }) => candidate.offer);
    // An offer is one machine to rent: the one that we rent is not to be had twice.
    const free = left.filter(({ offer }) => !alive.some(({ id }) => id === offer.id));
    const hosts = new Set(alive.map(({ machine_id }) => machine_id));
    return free.find(({ offer }) => offer.machine_id === undefined || !hosts.has(offer.machine_id)) ?? free[0];
}
/** Offers that somebody else had a short time ago. */
function takenOffers({ taken }, now) {
    return taken.filter(({ at, times }) => now - at < TAKEN_MS * LONGER_BY ** (times - 1)).map(({ id }) => id);
}
/** Whether another machine is to be had, as far as the last search tells. */
function hasOther(fleet, now) {
    return pickOffer(fleet, now) !== undefined;
}
/** The same, without offers that were ever gone: one that always is ends no search. */
function hasUntried(fleet) {
    return hasOther(fleet, Number.NEGATIVE_INFINITY);
}
/** Whether the last search still tells what there is. */
function isMarketFresh({ market }, now) {
    return market !== undefined && now - market.searchedAt < MARKET_KEEPS_MS;
}

;// CONCATENATED MODULE: ./lib/create/shown-figures.js
/** The service counts in KB. SPEC-SILENT: of how many bytes; 1000 bills the most. */
const KB_PER_GB = 1e6;
/** Growth below this is not worth writing down. */
const WORTH_NOTING_GB = 0.05;
/** Prices that differ by less are the same, rounded in another way. */
const SAME_PRICE = 1.01;
/**
 * Takes over what the service shows of a machine's bill: since when it exists, its price and its
 * bytes. True when the report changed.
 */
function noteFigures(report, instance) {
    const isOlder = noteCreation(report, instance);
    const hasRisen = notePrice(report, instance);
    return noteTraffic(report, instance) || hasRisen || isOlder;
}
/** True for a price that is more than another one, by more than how it is rounded. */
function isDearer(price, than) {
    return price > than * SAME_PRICE;
}
/**
 * It is charged at this price; its offer's may have changed by the time of the create.
 * SPEC-SILENT: whether the price has anything in it that the offer's has not, such as a volume.
 */
function notePrice(report, { dph_total }) {
    if (dph_total === undefined || !isDearer(dph_total, report.price.total))
        return false;
    report.price = { ...report.price, total: dph_total };
    return true;
}
/**
 * `start_date` is when the service made the instance. Taken only when it lies between our request
 * and its answer: else its clock and ours differ, or it means something else.
 */
function noteCreation({ at }, { start_date }) {
    const start = (start_date ?? Number.NaN) * 1000;
    if (!(start >= at.asked && start < (at.created ?? start)))
        return false;
    at.created = start;
    return true;
}
/** The figures are cumulative: a smaller one is not believed. */
function noteTraffic(report, { inet_down_billed: down, inet_up_billed: up }) {
    if (down === undefined && up === undefined)
        return false;
    const before = report.traffic;
    const downGb = Math.max(before?.downGb ?? 0, (down ?? 0) / KB_PER_GB);
    const upGb = Math.max(before?.upGb ?? 0, (up ?? 0) / KB_PER_GB);
    const growth = downGb + upGb - (before ? before.downGb + before.upGb : 0);
    if (before !== undefined && growth < WORTH_NOTING_GB)
        return false;
    report.traffic = { downGb, upGb };
    return true;
}

;// CONCATENATED MODULE: ./lib/money/cost.js
const cost_HOUR_MS = 3_600_000;
/**
 * A machine's cost until it was gone, or else until `end` (ms since the epoch): storage from its
 * creation, the GPU while it ran, bytes as shown or as known before, whichever is more.
 */
function actualCost(machine, end) {
    const { at, price } = machine;
    const until = at.gone ?? end;
    const hours = (from) => (from === undefined ? 0 : Math.max(0, until - from) / cost_HOUR_MS);
    const gpu = Math.max(0, price.total - price.storage) * hours(at.running);
    const storage = price.storage * hours(at.created);
    const bytes = bytesCost(machine);
    return { gpu, storage, bytes, total: gpu + storage + (bytes ?? 0) };
}
/**
 * Figures come late or never: the known loads are the least that is charged. Without both of image
 * and figures they are too little to be told as the bytes.
 */
function bytesCost(machine) {
    const { price, traffic } = machine;
    const known = knownGb(machine);
    const isPriced = price.inetDown !== undefined || price.inetUp !== undefined;
    const isImageKnown = machine.estimate?.bytes.imageGb !== undefined && known > 0;
    if (!isPriced || (traffic === undefined && !isImageKnown))
        return undefined;
    const { downGb, upGb } = traffic ?? { downGb: 0, upGb: 0 };
    return Math.max(downGb, known) * (price.inetDown ?? 0) + upGb * (price.inetUp ?? 0);
}
function knownGb({ at, estimate }) {
    if (estimate === undefined || at.created === undefined)
        return 0;
    const { imageGb = 0, runnerGb } = estimate.bytes;
    return imageGb + (at.running === undefined ? 0 : runnerGb);
}
/** The sum of `actualCost`, of several machines. */
function totalCost(machines, end) {
    const costs = machines.map((machine) => actualCost(machine, end));
    const sum = (part) => costs.reduce((total, cost) => total + part(cost), 0);
    const isTold = costs.some(({ bytes }) => bytes !== undefined);
    return {
        gpu: sum(({ gpu }) => gpu),
        storage: sum(({ storage }) => storage),
        bytes: isTold ? sum(({ bytes }) => bytes ?? 0) : undefined,
        total: sum(({ total }) => total),
    };
}

;// CONCATENATED MODULE: ./lib/money/late.js

const { leastMs: late_leastMs, usual, unproven, proven } = TUNING.late;
const FACTORS = { none: usual, unproven, proven };
/** A machine that does not run by then is late, in milliseconds since its create was asked for. */
function lateToRunMs(expectedMs, standing) {
    return Math.max(late_leastMs, FACTORS[standing] * expectedMs);
}

;// CONCATENATED MODULE: ./lib/money/lifetime.js
/** Between the machine's own deadline and the moment from which anybody's sweep may destroy it. */
const EXPIRY_MARGIN_MS = 15 * 60_000;
/** The longest that a machine may be kept, from its creation on, in milliseconds. */
function longestUptimeMs(limits) {
    return limits.bootMs + limits.onlineMs + limits.lifetimeMs;
}
/** The end of a machine created now: by the longest time allowed, or when the money is spent. */
function deadlineOf(nowMs, limits, affordableMs = Number.POSITIVE_INFINITY) {
    const longestMs = longestUptimeMs(limits);
    const uptimeMs = Math.min(longestMs, affordableMs);
    const deadlineMs = nowMs + uptimeMs;
    return {
        deadline: Math.floor(deadlineMs / 1000),
        expiry: Math.floor((deadlineMs + EXPIRY_MARGIN_MS) / 1000),
        uptimeMs,
        cutBy: affordableMs < longestMs ? "max-cost" : "max-lifetime",
    };
}
/** How long the offer must be rentable for, in seconds. */
function neededDurationSeconds(limits) {
    return Math.ceil((longestUptimeMs(limits) + EXPIRY_MARGIN_MS) / 1000);
}

;// CONCATENATED MODULE: ./lib/fleet/state/rental.js









/** Plans a machine that would be created now; `left`: what max-cost leaves for it. */
function planRental(now, limits, { offer, price }, left, imageBytes) {
    const end = deadlineOf(now, limits, left && affordableMs(price, offer, left));
    const prices = { ...price, inetDown: offer.inet_down_cost, inetUp: offer.inet_up_cost };
    const estimate = estimateCost({ price: prices, from: now, deadline: now + end.uptimeMs, imageBytes });
    return { ...end, price: prices, estimate };
}
/** The terms of a machine made of this offer. */
function termsOf({ offer }, { deadline, estimate, price }) {
    const { gpu_name, id, machine_id, num_gpus } = offer;
    return { offer: { id, machine_id, gpu_name, num_gpus }, price, deadline, estimate };
}
/** How long this machine may take. */
function timingOf({ image, limits, setupMs }, { expected, offer }) {
    const expectedMs = expected?.bootMs ?? expectedBootMs(image, offer);
    const { bootMs, onlineMs } = machineLimits(limits, image.decidesBoot, expectedMs);
    const lateMs = lateToRunMs(expectedMs, expected?.standing ?? "none");
    const mayWait = image.decidesBoot;
    return { expectedMs, lateMs, bootMs: Math.min(bootMs, limits.readyMs), onlineMs, setupMs, mayWait };
}
/** The limits that set a machine's deadline: it counts the longest that it may take to be ready. */
function deadlineLimits(limits, { bootMs, mayWait }) {
    const own = { ...limits, bootMs };
    return mayWait ? { ...own, bootMs: longestToReadyMs(own) - own.onlineMs } : own;
}
/** Stages are seen late by some seconds; what was spent must not be thought less than it was. */
const SEEN_LATE_MS = 20_000;
const rental_HOUR_MS = 3_600_000;
/** The rest of max-cost: less what was spent, and what alive machines may cost until the end. */
function budgetLeft(request, reports, now) {
    const { image, leastMs, money } = request;
    if (money.maxCost === undefined)
        return undefined;
    const left = money.maxCost - usedBy(request, reports, now);
    return { maxCost: money.maxCost, left, leastMs, imageBytes: expectedBytes(image) };
}
function usedBy({ image }, reports, now) {
    const used = (report) => {
        const { bytes, total } = actualCost(report, now);
        const unseen = bytes === undefined ? expectedBytesUsd(report, image) : 0;
        const spent = total + unseen + (report.price.total * SEEN_LATE_MS) / rental_HOUR_MS;
        return report.isGone ? spent : Math.max(spent, setAside(report, image, now));
    };
    return reports.reduce((sum, report) => sum + used(report), 0);
}
/** Its time to its deadline, and its bytes: as expected, or those that a job has loaded by now. */
function setAside(report, image, now) {
    const { at, deadline = 0, estimate, price } = report;
    if (estimate === undefined)
        return 0;
    const expected = expectedBytesUsd(report, image);
    // The service may ask more by now than when it was estimated.
    const machine = Math.max(estimate.machine, (price.total * (deadline * 1000 - at.asked)) / rental_HOUR_MS);
    return machine + endingCost(price) + Math.max(expected, actualCost(report, now).bytes ?? 0);
}
function expectedBytesUsd({ price }, image) {
    return knownBytesUsd(price.inetDown, expectedBytes(image)) ?? 0;
}
/** Whether what is left pays the shortest sensible use of an offer. */
function isPayable(left, { offer, price }) {
    return left === undefined || leastCost(price, offer, left) <= left.left;
}
/** The part of it that one of several machines may use; as many as can be paid get an equal one. */
function shareOf(left, { offer, price }, lacking) {
    if (left === undefined)
        return undefined;
    const payable = Math.floor(left.left / Math.max(leastCost(price, offer, left), 1e-9));
    return { ...left, left: left.left / Math.max(1, Math.min(lacking, payable)) };
}
/** A warning when the account may run dry before the deadline; `most` in USD. */
function creditWarning(request, reports, most, now) {
    const { credit } = request.money;
    if (credit === undefined)
        return undefined;
    const left = credit - usedBy(request, reports, now);
    if (left >= most)
        return undefined;
    return `The service's account has about ${formatPrice(Math.max(0, left))} of credit, and this machine may cost ${formatPrice(most)} until its deadline. Without credit the service stops it.`;
}
/** The price of a machine in USD per hour by now: as the service asks it, or as it was offered. */
function priceNow({ candidate, report }) {
    return report?.price.total ?? candidate.price.total;
}
/** The price of a machine per hour by now, in words, where it is more than so many USD. */
function priceAbove({ report }, most) {
    const { total = 0 } = report?.price ?? {};
    return isDearer(total, most) ? formatBeside(total, most) : undefined;
}
/** The line for a machine whose time max-cost cuts, of what is left and its part of that. */
function describeCut({ left, maxCost }, share) {
    const cut = `Its time is cut: ${formatPrice(left)} of max-cost (${formatPrice(maxCost)}) are left`;
    return share.left < left ? `${cut}, and ${formatPrice(share.left)} of that are for this machine.` : `${cut}.`;
}

;// CONCATENATED MODULE: ./lib/fleet/plan/plan-machines.js




/** An offline runner may come back within this time. SPEC-SILENT: GitHub names no figure. */
const OFFLINE_IS_DROPPED_MS = 120_000;
/** A machine whose uses are over has so long to give itself back. */
const GIVES_ITSELF_BACK_MS = 60_000;
/** DESIGN, "Each machine": the first row that holds. */
const ROWS = [deadline, fatal, dear, vanishedEarly, droppedEarly, late, lost, dropped, over];
/** The fate of a machine, whatever is wanted; undefined: nothing yet. */
function judgeMachine(facts) {
    for (const row of ROWS) {
        const said = row(facts);
        if (said === undefined)
            continue;
        const { isGrave = false, ...ending } = said;
        return { ending: { ...ending, since: facts.now }, isGrave };
    }
    return undefined;
}
function deadline({ machine, now }) {
    if (now < machine.deadline || machine.instanceId === undefined)
        return undefined;
    return { kind: "deadline", why: `${machine.cutBy} is over`, isUnasked: true };
}
/** The service's own clear word about one that was never ready; a missing heartbeat is none. */
function fatal({ machine }) {
    const { verdict } = machine;
    if (wasReady(machine) || verdict?.kind !== "failed")
        return undefined;
    const { blame, outbid: isOutbid, stopped: isStopped, why } = verdict;
    return { kind: "failed", why, isUnasked: false, blame, isOutbid, isStopped, isGrave: machine.isSilent === true };
}
/** The service asks more for it than its offer said, and no job came to it yet. */
function dear({ machine, policy: { maxPrice } }) {
    const price = wasReady(machine) ? undefined : priceAbove(machine, maxPrice);
    if (price === undefined)
        return undefined;
    const why = `the service asks ${price} per hour for it, more than max-price allows`;
    return { kind: "failed", why, isUnasked: false, blame: "price", isGrave: true };
}
function vanishedEarly({ machine }) {
    if (wasReady(machine) || machine.absentSince === undefined)
        return undefined;
    // The script does so when it can't come as far as a runner; its log is gone with it.
    const isPreparing = machine.runningAt !== undefined;
    const why = isPreparing
        ? "it gave itself back before its runner was online: its key, its GPUs, its tools or the probe were no good"
        : "the service does not know it any more";
    return { kind: "failed", why, isUnasked: false, blame: isPreparing ? "preparing" : "machine", isGrave: true };
}
function droppedEarly({ machine, now }) {
    if (wasReady(machine) || machine.uses[0]?.spentAt === undefined)
        return undefined;
    const minted = machine.report?.at.minted ?? machine.askedAt;
    const age = Math.round((now - minted) / 1000);
    const why = `GitHub dropped its runner before a job came; its runner configuration was ${age} s old`;
    return { kind: "failed", why, isUnasked: false };
}
/** Later than its limits. While nothing else is to be had, it stays as long as its job may wait. */
function late(facts) {
    const { machine, fleet, policy, now } = facts;
    const why = wasReady(machine) ? undefined : tooLate(machine, fleet, now);
    if (why === undefined)
        return undefined;
    // With a new volume one machine is all that is ever rented: no other one is to be had.
    const isOther = !policy.makesVolume && isMarketFresh(fleet, now) && hasOther(fleet, now);
    if (mayWait(facts) && !isOther)
        return undefined;
    return { kind: "failed", why, isUnasked: false, blame: machine.runningAt === undefined ? "boot" : "online" };
}
/** Its job may wait on. */
function mayWait({ machine, fleet, policy, now }) {
    return machine.timing.mayWait && now - (fleet.unservedSince ?? machine.askedAt) < policy.readyMs;
}
/** It is kept while no other offer is to be had, and nobody knows whether one is by now. */
function asksMarket(facts) {
    const { machine, fleet, policy, now } = facts;
    const isLate = !wasReady(machine) && tooLate(machine, fleet, now) !== undefined;
    return isLate && mayWait(facts) && !policy.makesVolume && !isMarketFresh(fleet, now);
}
/** Judged by what lists showed: one that can't be read proves no delay. */
function tooLate(machine, { instancesAt = 0, runnersAt = 0 }, now) {
    const { createdAt, runningAt, timing, verdict, report } = machine;
    if (createdAt === undefined)
        return undefined;
    if (runningAt === undefined) {
        if (instancesAt - createdAt < timing.bootMs)
            return undefined;
        const seen = verdict?.status ?? "nothing";
        return `it did not reach running within boot-timeout (${formatDuration(timing.bootMs)}, last seen: ${seen})`;
    }
    if (runnersAt - runningAt < timing.onlineMs)
        return undefined;
    const age = report?.at.minted === undefined ? "" : `; its runner configuration was ${seconds(now - report.at.minted)} old`;
    return `its runner did not come online within online-timeout (${formatDuration(timing.onlineMs)})${age}`;
}
function seconds(milliseconds) {
    return `${Math.round(milliseconds / 1000)} s`;
}
/** Gone after it was ready. A missing heartbeat is no loss: its network may come back. */
function lost({ machine, policy, now }) {
    if (!wasReady(machine))
        return undefined;
    if (machine.absentSince === undefined && machine.isSilent)
        return missed(machine);
    if (machine.absentSince === undefined && machine.verdict?.kind !== "failed")
        return undefined;
    const { absentSince = now, brokenSince = now, verdict } = machine;
    if (gaveItselfBack(machine, policy, Math.min(absentSince, brokenSince)))
        return { kind: "over", why: "it gave itself back", isUnasked: true, isGrave: true };
    const { outbid: isOutbid = false, stopped: isStopped = false } = verdict?.kind === "failed" ? verdict : {};
    const lostBy = isStopped ? "the machine was lost: the service stopped it" : "the machine was lost";
    const why = isOutbid ? "it was outbid, and the service stopped it" : lostBy;
    return { kind: "lost", why, isUnasked: true, isOutbid, isStopped, isGrave: true };
}
/** GitHub's own word on the job of a silent machine: it ended the job whose runner it missed. */
function missed(machine) {
    if (isBusy(machine) || !machine.uses.some(wasMissed))
        return undefined;
    return { kind: "lost", why: "its host fell silent, and GitHub missed its runner", isUnasked: false };
}
/** It went when it had nothing more to do: not one whose job GitHub missed since. */
function gaveItselfBack(machine, { idleMs }, since) {
    if (machine.uses.some((use) => wentWithMachine(use, since)))
        return false;
    return currentUse(machine) === undefined || (!isBusy(machine) && since - idleSince(machine) >= idleMs);
}
/** Since when it waits for a job. */
function idleSince({ uses, readyAt, askedAt }) {
    const ends = uses.flatMap(({ spentAt }) => (spentAt === undefined ? [] : [spentAt]));
    const online = uses.findLast(({ onlineAt }) => onlineAt !== undefined)?.onlineAt;
    return Math.max(readyAt ?? askedAt, online ?? 0, ...ends);
}
/** Judged by the runners' list: unreadable, it says nothing of one that was offline. */
function dropped({ machine, fleet: { runnersAt = 0 } }) {
    const use = currentUse(machine);
    if (use === undefined || isBusy(machine) || !wasReady(machine))
        return undefined;
    if (use.offlineSince !== undefined && runnersAt - use.offlineSince >= OFFLINE_IS_DROPPED_MS)
        return { kind: "dropped", why: "GitHub dropped its runner", isUnasked: false };
    const isNext = use !== machine.uses[0] && use.onlineAt === undefined;
    if (!isNext || runnersAt - idleSince(machine) < machine.timing.onlineMs)
        return undefined;
    return { kind: "dropped", why: "its next runner did not come online within online-timeout", isUnasked: false };
}
/** No use is left in it: it gives itself back. */
function over({ machine, policy, now }) {
    if (!wasReady(machine) || isBusy(machine) || isFree(machine, policy, now))
        return undefined;
    const jobs = machine.uses.flatMap(({ job }) => (job === undefined ? [] : [`'${job.name}'`]));
    const why = jobs.length > 0 ? `${jobs.join(", ")} ran on it` : "no job came to it";
    // Near its end no listener is begun; one that began a moment before may have a job.
    return { kind: "over", why, isUnasked: currentUse(machine) === undefined };
}
/** When a machine that ends is to be destroyed, in milliseconds since the epoch. */
function destroyAt(machine, policy) {
    const { absentSince, brokenSince, ending, isSilent, uses } = machine;
    if (ending?.kind !== "over" || absentSince !== undefined)
        return Number.NEGATIVE_INFINITY;
    const isKept = isKeptForLook(machine, policy);
    // A use that shall not begin is taken away at once, before a job comes to it.
    if (currentUse(machine) !== undefined && !isKept)
        return Number.NEGATIVE_INFINITY;
    // It counts its look from the end of its job; the uses that shall not begin end later.
    const counted = isKept ? uses.filter(({ job }) => job !== undefined) : uses;
    const ended = Math.max(...counted.map(({ spentAt }) => spentAt ?? ending.since));
    const destroyedAt = Math.min(ended + GIVES_ITSELF_BACK_MS + (isKept ? policy.keepFailedMs : 0), machine.deadline);
    // One that was stopped or exited gives nothing back, and nobody can look at it.
    return brokenSince === undefined || isSilent ? destroyedAt : Math.min(destroyedAt, brokenSince + LOOKS_APART_MS);
}
/** True while it is there and nobody ended it. */
function isJudged(machine) {
    return isAlive(machine) && machine.ending === undefined && machine.instanceId !== undefined;
}

;// CONCATENATED MODULE: ./lib/fleet/reports.js

/** The reports of the machines that were rented. */
function reportsOf({ machines }) {
    return machines.flatMap(({ report }) => (report === undefined ? [] : [report]));
}
/** The same, as if those were gone that go once another one is to be had: they pay for it. */
function reportsOnceGiven(fleet, policy, now) {
    const going = fleet.machines.filter((machine) => isJudged(machine) && asksMarket({ machine, fleet, policy, now }));
    const gone = new Set(going.map(({ report }) => report));
    return reportsOf(fleet).map((report) => (gone.has(report) ? { ...report, isGone: true } : report));
}

;// CONCATENATED MODULE: ./lib/fleet/acts.js


















const acts_FIRST_PAUSE_MS = 15_000;
const acts_LONGEST_PAUSE_MS = 120_000;
/**
 * Asks what there is. No fitting offer is an answer, a fault counts as an empty market. A refusal
 * is believed when the next search is refused, too: machines work on, and one may be wrong.
 */
async function search(acting, fleet) {
    const { isOnDemand } = fleet;
    const change = await look(acting, fleet);
    return (now) => {
        // An outbid machine may have ended all bids meanwhile: what was found is for bids.
        if (now.isOnDemand === isOnDemand)
            change(now);
    };
}
async function look({ deps, request, policy }, fleet) {
    const { clock } = deps;
    const searchedAt = clock.now();
    const times = fleet.market?.times ?? 0;
    const pause = Math.min(acts_FIRST_PAUSE_MS * 2 ** times, acts_LONGEST_PAUSE_MS);
    const searchAgainAt = searchedAt + pause;
    const bid = fleet.isOnDemand ? undefined : request.offer.bid;
    const mayFallBack = bid !== undefined && policy.bidFallback;
    const knowledge = knowledgeOf(request, finishedMs(fleet.jobs), deps.history, searchedAt);
    const wishes = {
        ...request.offer,
        knowledge,
        bid,
        budget: budgetLeft(request, reportsOnceGiven(fleet, policy, searchedAt), searchedAt),
    };
    try {
        const excluded = { ...fleet.excluded, taken: takenOffers(fleet, searchedAt) };
        const candidates = await searchForOffers({ ...deps, log: logOf(deps, times) }, wishes, excluded);
        return (now) => {
            now.market = { searchedAt, searchAgainAt, times: 0, candidates };
            // An offer that is a machine's own already brings no other one.
            if (mayFallBack && !hasOther(now, searchedAt))
                rentOnDemand(now);
        };
    }
    catch (error) {
        if (!(error instanceof UserError))
            throw error;
        const isRefused = isRefusal(error) && isRefusal(fleet.market?.nothing);
        deps.log.info(`${whyNothing(error, fleet)} Searching again in ${formatDuration(pause)}, if a machine is still wanted.`);
        return (now) => {
            now.market = { searchedAt, searchAgainAt, times: times + 1, candidates: [], nothing: error };
            if (isRefused)
                now.refusal = { by: "request", error: (after) => error.and(after) };
            if (mayFallBack && isOfNoUse(error, now))
                rentOnDemand(now);
        };
    }
}
/** True if no bid brings a machine. What max-cost sets aside for those there are comes back. */
function isOfNoUse(error, { machines }) {
    if (!(error instanceof NoOfferError))
        return false;
    return error.explanation.input !== "max-cost" || !machines.some(isAlive);
}
/** Advice is for whoever has no machine: beside one that was to be had, the reason alone. */
function whyNothing(error, { machines }) {
    if (!(error instanceof NoOfferError))
        return error.message;
    const { hint, sentence } = error.explanation;
    return machines.length > 0 ? sentence : `${sentence} ${hint}`;
}
/** The service's word against the search itself. */
function isRefusal(error) {
    return error !== undefined && !(error instanceof NoOfferError) && !isPassing(error);
}
/** The first of several searches in a row tells each offer, and why not; the others are quiet. */
function logOf({ log }, times) {
    return times === 0 ? log : { info() { }, warning: (line) => log.warning(line), stage: (_title, work) => work() };
}
/** Offers that were found before the money for them was set aside elsewhere. */
async function forgetMarket() {
    return (later) => {
        later.market = undefined;
    };
}
/** Begins a create, if it can be paid: its machine is one of the fleet. Returns what sends it. */
function beginCreate(acting, fleet, candidate, lacking, emit) {
    const { deps, policy, request } = acting;
    const now = deps.clock.now();
    const budget = budgetLeft(request, reportsOf(fleet), now);
    if (!isPayable(budget, candidate))
        return forgetMarket;
    const share = shareOf(budget, candidate, lacking);
    const timing = timingOf(request, candidate);
    const limits = deadlineLimits(request.limits, timing);
    const rental = planRental(now, limits, candidate, share, request.image.bytes);
    const n = fleet.creates + 1;
    const asked = {
        n,
        candidate,
        timing,
        uses: [],
        deadline: rental.deadline * 1000,
        cutBy: rental.cutBy,
        terms: termsOf(candidate, rental),
        askedAt: now,
        act: "asking",
    };
    fleet.creates = n;
    fleet.machines.push(asked);
    tellRental(acting, fleet, asked, rental, budget && share && { budget, share });
    const { offer, price } = candidate;
    const searchedAt = fleet.market?.searchedAt ?? now;
    const onRegistered = (runners, hide) => {
        acting.hiders.set(n, hide);
        emit((later) => {
            const machine = later.machines.find((each) => each.n === n);
            if (machine)
                machine.uses = runners.map(({ id, name }) => ({ runnerId: id, runnerName: name }));
        });
    };
    return async () => {
        const { terms } = asked;
        const outcome = await rent(deps, request, { ...rental, n, offer, price, searchedAt, terms, onRegistered });
        return (later) => noteRentOutcome(later, n, outcome, { ...deps, policy });
    };
}
function tellRental({ deps: { log }, request }, fleet, { n, candidate, askedAt, timing }, rental, money) {
    const { expected, offer, price } = candidate;
    const cost = expected === undefined ? "" : ` ${describeExpectedCost(expected.cost)}.`;
    log.info(`machine ${n}: asked for, from ${describeOffer(offer)} at ${describePrice(price)}.${cost}`);
    const { bytes } = request.image;
    // A host that has the image, or was quicker before, is not told to pull it for longer than that.
    const isPulled = bytes !== undefined && pullMs(bytes, offer) < timing.expectedMs;
    const pull = isPulled ? ` It takes ${describePull(bytes, offer)}.` : "";
    log.info(`machine ${n}: ${describeExpectedBoot(timing.expectedMs, timing)}${pull}`);
    for (const line of describeEstimate(rental.estimate, rental.price))
        log.info(`machine ${n}: ${line}`);
    if (rental.cutBy === "max-cost" && money)
        log.info(`machine ${n}: ${describeCut(money.budget, money.share)}`);
    const warning = creditWarning(request, reportsOf(fleet), rental.estimate.most, askedAt);
    if (warning)
        log.warning(warning);
}

;// CONCATENATED MODULE: ./lib/fleet/apply.js



/** GitHub needs a while to tell a job that ended from one whose machine was lost. */
const LOST_AFTER_MS = 60_000;
/** A list of instances may get lost now and then; for longer than this there is none. */
const UNLISTED_MS = 60_000;
/** Puts a plan's decisions into the fleet's state; the acts themselves are not done here. */
function applyPlan(fleet, decided, policy, now) {
    fleet.doubts = decided.doubts;
    // A job that is queued later may wait for as long, beside a machine of its own.
    if (decided.heldBack > fleet.heldBack)
        fleet.besideReady = { sumMs: 0, at: undefined };
    fleet.heldBack = decided.heldBack;
    // Unreadable jobs: all that is free counts as wanted.
    if (fleet.jobsFault === undefined)
        fleet.mostWanted = Math.max(fleet.mostWanted, decided.wanted);
    for (const { n, ending } of decided.endings) {
        const machine = fleet.machines.find((each) => each.n === n);
        if (machine === undefined)
            continue;
        endMachine(fleet, machine, ending, policy);
        if (machine.report !== undefined && ending.kind === "unneeded")
            machine.report.isUnneeded = true;
    }
    noteLostJobs(fleet);
    noteClocks(fleet, decided, now);
}
/** Jobs that went with their machines, as the last list of jobs shows. */
function noteLostJobs(fleet) {
    if (fleet.jobsFault !== undefined)
        return;
    for (const machine of fleet.machines) {
        const { ending, uses } = machine;
        if (ending === undefined)
            continue;
        const gone = uses.filter((use) => wasCutOff(use, machine) || wentWith(use, ending, fleet.looks.jobs));
        for (const use of gone)
            noteLost(fleet, machine, ending, use);
    }
}
function noteLost(fleet, machine, ending, use) {
    const { job } = use;
    use.spentAt ??= ending.since;
    if (job === undefined || fleet.lost.some(({ id }) => id === job.id))
        return;
    const { id, name, url } = job;
    const { instanceId, n } = machine;
    const cutBy = ending.kind === "deadline" || wasCutOff(use, machine) ? machine.cutBy : undefined;
    fleet.lost.push({ id, name, url, n, instanceId, went: wayOf(machine, ending), cutBy });
}
function wayOf({ absentSince, isSilent }, { isOutbid, isStopped }) {
    if (isOutbid)
        return "was outbid";
    if (isStopped)
        return "was stopped by the service";
    return isSilent && absentSince === undefined ? "fell silent" : "vanished";
}
/** It is listed as running for a minute more, or GitHub missed its runner since. */
function wentWith(use, ending, listedAt) {
    if (ending.kind !== "lost" && ending.kind !== "deadline")
        return false;
    if (use.job?.isOver === false)
        return listedAt - ending.since >= LOST_AFTER_MS;
    return wentWithMachine(use, ending.since) || wasMissed(use);
}
/** The clocks of renting begin anew when no machine is lacking, as a list says that can be read. */
function noteClocks(fleet, decided, now) {
    const { lacking, wanted } = decided;
    if (fleet.jobsFault !== undefined)
        return;
    const isServed = fleet.machines.some((machine) => isAlive(machine) && (isReady(machine) || isBusy(machine)));
    fleet.unservedSince = isServed || wanted === 0 ? undefined : (fleet.unservedSince ?? now);
    if (wanted > 0)
        fleet.firstWantedAt ??= now;
    if (lacking === 0)
        fleet.refusal = undefined;
    fleet.noOfferSince = noOfferSince(fleet, decided, now);
}
function noOfferSince(fleet, { lacking, waitsFor }, now) {
    const { instancesAt = now, machines, market, taken } = fleet;
    // Nothing is searched for meanwhile: that nothing was left before says nothing of what there is.
    if (waitsFor === "repository" || now - instancesAt > UNLISTED_MS)
        return undefined;
    // One that was gone is asked for once more: that it is to be had is yet to be seen.
    const isAgain = ({ act, candidate }) => act === "asking" && taken.some(({ id }) => id === candidate.offer.id);
    if (machines.some(isAgain))
        return fleet.noOfferSince;
    const isEmpty = lacking > 0 && market !== undefined && !hasUntried(fleet);
    return isEmpty ? (fleet.noOfferSince ?? now) : undefined;
}

;// CONCATENATED MODULE: ./lib/create/destroy-errors.js

/** The way to end a bill by hand, in a sentence that is all that some people see. */
const DESTROY_BY_HAND = 'Destroy it in the service\'s console, or by: curl -X DELETE -H "Authorization: Bearer $KEY" https://console.vast.ai/api/v0/instances/ID/';
/** MONEY: an instance could not be confirmed to be gone. */
class InstanceNotDestroyedError extends UserError {
    name = "InstanceNotDestroyedError";
    constructor(what, reason, cause) {
        super(`${what} may still be billing: its destruction could not be confirmed (${reason}).`, {
            cause,
            hint: DESTROY_BY_HAND,
        });
    }
}

;// CONCATENATED MODULE: ./lib/create/gone-looks.js

/** How long the first of several waits for the others to be asked for, in milliseconds. */
const GATHER_MS = 10_000;
/** Looks whether destroyed instances are gone: one look answers for all that wait. */
class GoneLooks {
    static #all = new WeakMap();
    #service;
    #asking = 0;
    #waiting = [];
    #isLooking = false;
    #gathering;
    constructor(service) {
        this.#service = service;
    }
    /** The ones of a client: whoever destroys with it shares them. */
    static of(service) {
        const looks = GoneLooks.#all.get(service) ?? new GoneLooks(service);
        GoneLooks.#all.set(service, looks);
        return looks;
    }
    /**
     * Asks, and then looks whether the instance is gone, in a look that begins after the answer.
     * Throws what asking throws, and what the look throws: no evidence either way. `signal` ends the
     * look; those who share one are stopped together.
     */
    async isGone(id, ask, clock, signal) {
        this.#asking += 1;
        try {
            await ask();
        }
        catch (fault) {
            this.#asking -= 1;
            this.#lookWhenDue(clock, signal);
            throw fault;
        }
        this.#asking -= 1;
        return await new Promise((resolve, reject) => {
            this.#waiting.push({ id, resolve, reject });
            this.#lookWhenDue(clock, signal);
        });
    }
    /** At once when nobody else is being asked for, else when a moment has gone by. */
    #lookWhenDue(clock, signal) {
        if (this.#waiting.length === 0 || this.#isLooking)
            return;
        if (this.#asking === 0) {
            this.#gathering?.abort();
            void this.#look(clock, signal);
        }
        else if (this.#gathering === undefined)
            void this.#gather(clock, signal);
    }
    async #gather(clock, signal) {
        const gathering = new AbortController();
        this.#gathering = gathering;
        try {
            await clock.sleep(GATHER_MS, signal ? AbortSignal.any([signal, gathering.signal]) : gathering.signal);
        }
        catch {
            // Stopped, by the look that it waited for or with the whole step: the look itself tells
            // which.
        }
        this.#gathering = undefined;
        if (!gathering.signal.aborted && !this.#isLooking)
            await this.#look(clock, signal);
    }
    async #look(clock, signal) {
        const waiters = this.#waiting;
        this.#waiting = [];
        this.#isLooking = true;
        try {
            signal?.throwIfAborted();
            const alive = await this.#alive([...new Set(waiters.map(({ id }) => id))], signal);
            for (const { id, resolve } of waiters)
                resolve(!alive.has(id));
        }
        catch (fault) {
            for (const { reject } of waiters)
                reject(fault);
        }
        finally {
            this.#isLooking = false;
            this.#lookWhenDue(clock, signal);
        }
    }
    /** Which of them the service shows. */
    async #alive(ids, signal) {
        if (ids.length > 1) {
            try {
                return new Set((await this.#service.listInstances(signal)).map(({ id }) => id));
            }
            catch (error) {
                signal?.throwIfAborted();
                if (!(error instanceof UserError))
                    throw error;
                // A list that is too long, or that has a row that can't be read, says nothing of these.
            }
        }
        const shown = await Promise.all(ids.map((id) => this.#service.getInstance(id, signal)));
        return new Set(shown.flatMap((instance) => (instance === undefined ? [] : [instance.id])));
    }
}

;// CONCATENATED MODULE: ./lib/create/destroy.js




const PAUSE_MS = 3000;
/** A fresh instance may be missing from every answer for a while. SPEC-SILENT: for how long. */
const VISIBLE_AFTER_MS = 60_000;
/**
 * Destroys an instance and sees that it is gone. The service's word that it was destroyed is not
 * enough: it is looked at again, and asked again while it is still there. "There is no such
 * instance" counts only for one that is a minute old. `was-gone`: the service knew none from the
 * first. Many may run side by side: one client sends their requests at the service's pace, in the
 * order of the calls, and looks for all of them at once. Throws InstanceNotDestroyedError when
 * `until` comes first; no refusal ends it before.
 */
async function destroyInstance(destroying, doomed) {
    const { clock, signal, until } = destroying;
    const visibleAt = (doomed.createdAt ?? clock.now()) + VISIBLE_AFTER_MS;
    const course = { lastFault: undefined, told: "", isToAsk: true, wasAsked: false, mayBeOurs: false };
    const look = async () => (await isAbsent(destroying, doomed.id, course)) && (course.wasAsked || clock.now() >= visibleAt);
    if (!(await poll(look, { clock, intervalMs: PAUSE_MS, until, signal })))
        throw notDestroyed(doomed.id, course.lastFault);
    return course.wasAsked || course.mayBeOurs ? "destroyed" : "was-gone";
}
/** Asks to destroy, where that is due, and looks whether there is none (any more). */
async function isAbsent(destroying, id, course) {
    const { clock, service, signal } = destroying;
    try {
        const isGone = await GoneLooks.of(service).isGone(id, () => destroy_ask(destroying, id, course), clock, signal);
        course.isToAsk = true;
        return isGone;
    }
    catch (error) {
        signal?.throwIfAborted();
        noteFault(destroying, id, course, error);
        return false;
    }
}
/**
 * A key that is refused is asked with again, too: the service was seen to refuse good ones for a
 * while, and it costs money.
 */
async function destroy_ask(destroying, id, course) {
    const { service, signal } = destroying;
    if (!course.isToAsk)
        return;
    try {
        if ((await service.destroyInstance(id, signal)) === "asked")
            course.wasAsked = true;
        course.isToAsk = false;
    }
    catch (error) {
        if (!isKeyRefusal(error))
            course.mayBeOurs = true;
        // SPEC-SILENT: the answer for one that is gone. It may be such a "no": the look decides.
        if (!(error instanceof RequestRejectedError))
            throw error;
        noteFault(destroying, id, course, error);
    }
}
function isKeyRefusal(error) {
    return error instanceof AuthenticationError || error instanceof PermissionError;
}
/** Each reason is told once. */
function noteFault({ log }, id, course, fault) {
    const reason = destroy_reasonOf(fault);
    course.lastFault = fault;
    if (course.told === reason)
        return;
    course.told = reason;
    log.info(`Instance ${id} is not destroyed yet (${reason}); asking again.`);
}
function notDestroyed(id, fault) {
    return new InstanceNotDestroyedError(`Instance ${id}`, fault === undefined ? "it is still listed" : destroy_reasonOf(fault), fault);
}
function destroy_reasonOf(fault) {
    return fault instanceof Error ? fault.message : String(fault);
}

;// CONCATENATED MODULE: ./lib/create/last-lines.js



const LINES = 20;
const LOGS = ["container", "daemon"];
/** Escape sequences of terminals: colours, and the moves of progress bars. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is them that are taken out.
const TERMINAL = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|[@-Z\\-_])/g;
/**
 * Shows what a machine that is given up printed last, and what its host said of it: best effort,
 * for at most 5 s. Whatever its owner wrote there, it comes as single lines without secrets.
 */
async function showLastLines({ log, service, signal }, { instanceId, hideSecrets }) {
    const lines = [];
    const faults = [];
    const fetched = LOGS.map((name) => service.requestLogs({ id: instanceId, tail: LINES, log: name }, signal));
    // All are waited for, so that none is left under way.
    for (const [index, outcome] of (await Promise.allSettled(fetched)).entries()) {
        if (outcome.status === "fulfilled")
            lines.push(...shown(LOGS[index] ?? "", hideSecrets(outcome.value)));
        else
            faults.push(last_lines_reasonOf(outcome.reason));
    }
    if (lines.length > 0) {
        await log.stage(`Last lines of instance ${instanceId}`, async () => {
            for (const line of lines)
                log.info(line);
        });
    }
    // One reason mostly keeps both logs away.
    if (faults[0] !== undefined)
        log.info(`Not all logs of instance ${instanceId} can be shown: ${faults[0]}`);
}
function shown(name, text) {
    const lines = text
        .replace(TERMINAL, "")
        // A progress bar overwrites its line: each state of it is a line here.
        .split(/\r\n|\r|\n/)
        .map((line) => oneLine(line))
        .filter((line) => line !== "");
    return lines.slice(-LINES).map((line) => `  ${name.padEnd(9)} | ${line}`);
}
/** The words of a known fault; a cancel, or a bug of ours, is thrown. */
function last_lines_reasonOf(fault) {
    if (!(fault instanceof UserError))
        throw fault;
    if (fault instanceof NotFoundError)
        return "it is gone, or the service keeps none.";
    return fault.message;
}

;// CONCATENATED MODULE: ./lib/fleet/give-back.js






/** GitHub gave no answer, or the service would not destroy: asked again then. */
const ASK_AGAIN_MS = 15_000;
/** How long a destruction may take before the loop hears of it. */
const DESTROY_WITHIN_MS = 90_000;
/**
 * Takes a machine's runners away, those that wait for their turn first; then destroys it. A machine
 * whose runner has a job is kept.
 */
async function giveUp(acting, machine) {
    return (await takeRunners(acting, machine, [])) ?? (await destroy(acting, machine));
}
/** Takes its runners away like that, and lets it be. */
async function retire(acting, machine) {
    const removed = [];
    const change = await takeRunners(acting, machine, removed);
    const now = acting.deps.clock.now();
    return change ?? ((fleet) => void withoutRunners(fleet, machine.n, removed, now));
}
/** The change that a runner makes which stays; undefined: none stays. */
async function takeRunners(acting, machine, removed) {
    const current = currentUse(machine);
    const waiting = machine.uses.filter((use) => use.spentAt === undefined && use !== current);
    for (const use of [...waiting, ...(current ? [current] : [])]) {
        const change = await withoutRunner(acting, machine, use, removed);
        if (change !== undefined)
            return change;
    }
    return undefined;
}
/** Undefined: it is nobody's any more, or nobody can have it. */
async function withoutRunner(acting, machine, use, removed) {
    const { askAgainAt, n } = machine;
    const answer = await acting.deps.runners.remove(use.runnerId, acting.deps.signal);
    if (answer === "busy")
        return kept(acting, n, use, removed);
    if (answer === "removed")
        removed.push(use.runnerId);
    // One that was not seen running may have begun to since the last list: it is looked at once more.
    const mayRun = mayHaveRun(machine) || askAgainAt === undefined;
    return answer === "unknown" && mayRun ? askAgain(acting, n, removed) : undefined;
}
/** Destroys a machine and sees that it is gone; its last lines are shown first if it failed. */
async function destroy({ deps, hiders }, machine) {
    const { clock, ledger, log, signal } = deps;
    const { ending, instanceId, n, createdAt, report } = machine;
    if (instanceId === undefined)
        return () => { };
    const hide = hiders.get(n) ?? secretHider({});
    if (ending?.kind === "failed" || ending?.kind === "dropped")
        await showLastLines(deps, { instanceId, hideSecrets: hide });
    try {
        const how = await destroyInstance({ ...deps, signal, until: clock.now() + DESTROY_WITHIN_MS }, { id: instanceId, createdAt });
        const goneAt = clock.now();
        // Of one that was lost, or had failed, nobody knows who ended it.
        const byItself = ending?.kind === "over" ? "had given itself back" : "was gone already";
        log.info(`machine ${n}: gone. Instance ${instanceId} ${how === "destroyed" ? "is destroyed" : byItself}.`);
        return (fleet) => {
            const later = fleet.machines.find((each) => each.n === n);
            if (later === undefined)
                return;
            noteGone(later, how, goneAt, hide);
            if (report !== undefined && later.report !== undefined)
                ledger.report(n, later.report);
        };
    }
    catch (error) {
        if (!(error instanceof InstanceNotDestroyedError))
            throw error;
        const again = askAgain({ deps }, n, []);
        log.warning(`machine ${n}: ${error.message}`);
        return (fleet) => {
            again(fleet);
            const later = fleet.machines.find((each) => each.n === n);
            if (later !== undefined)
                later.fault = error;
        };
    }
}
function noteGone(machine, how, goneAt, hide) {
    machine.act = undefined;
    machine.goneAt = goneAt;
    if (machine.report === undefined)
        return;
    machine.report.isGone = true;
    // One that had gone by itself went when that was seen.
    machine.report.at.gone = (how === "was-gone" ? machine.report.at.gone : undefined) ?? goneAt;
    machine.report.last = lastOf(machine, machine.report, how, hide);
}
function lastOf({ ending }, { last }, how, hide) {
    if (ending === undefined || ending.kind === "over")
        return how === "was-gone" ? "gave itself back" : last;
    return oneLine(hide(ending.why));
}
/** A job came: it stays, with the uses that are left. */
function kept({ deps }, n, busy, removed) {
    deps.log.info(`machine ${n}: kept, a job runs on it.`);
    const now = deps.clock.now();
    return (fleet) => {
        const machine = withoutRunners(fleet, n, removed, now);
        if (machine === undefined)
            return;
        machine.ending = undefined;
        // It is no spare, though the list of jobs may show so late.
        if (machine.report !== undefined)
            machine.report.isUnneeded = undefined;
        machine.readyAt ??= now;
        const use = machine.uses.find(({ runnerId }) => runnerId === busy.runnerId);
        if (use === undefined)
            return;
        use.runner = "busy";
        use.onlineAt ??= now;
    };
}
/**
 * A doubt is never evidence: while GitHub can't be asked, a container that ran may have a job, and
 * stays until its deadline.
 */
function askAgain({ deps }, n, removed) {
    const now = deps.clock.now();
    return (fleet) => {
        const machine = withoutRunners(fleet, n, removed, now);
        if (machine !== undefined)
            machine.askAgainAt = now + ASK_AGAIN_MS;
    };
}
function withoutRunners(fleet, n, removed, now) {
    const machine = fleet.machines.find((each) => each.n === n);
    if (machine === undefined)
        return undefined;
    machine.act = undefined;
    for (const use of machine.uses)
        if (removed.includes(use.runnerId))
            use.spentAt ??= now;
    return machine;
}

;// CONCATENATED MODULE: ./lib/fleet/observe/ran-jobs.js

/** A list that lacks a job takes nothing from what was seen, but for one that was taken back. */
function noteRan({ report }, ran, isTakenBack) {
    if (report === undefined)
        return;
    const isMore = ran.length > 0 && ran.length >= (report.jobs?.length ?? 0);
    if (isMore || isTakenBack)
        report.jobs = ran.length > 0 ? ran : undefined;
}
/** A job for the report, as GitHub shows it. */
function ranJob({ completedAt, conclusion, name, startedAt, state }) {
    const begun = { name: oneLine(name, 100), started: startedAt };
    if (state !== "over")
        return begun;
    const isTimed = startedAt !== undefined && completedAt !== undefined;
    const seconds = isTimed ? Math.max(0, Math.round((completedAt - startedAt) / 1000)) : undefined;
    return { ...begun, conclusion, seconds };
}

;// CONCATENATED MODULE: ./lib/fleet/observe/note-github.js



/** Takes those runners into the fleet that were asked for. Returns whose report changed. */
function noteRunners(fleet, runners, at) {
    fleet.runnersAt = at;
    return fleet.machines
        .filter(isAlive)
        .filter((machine) => {
        const { readyAt } = machine;
        for (const use of machine.uses)
            noteRunner(machine, use, runners.get(use.runnerId), at);
        noteBurnt(machine, at);
        return machine.readyAt !== readyAt;
    })
        .map(({ n }) => n);
}
function noteRunner(machine, use, state, at) {
    if (state === undefined || use.spentAt !== undefined)
        return;
    use.runner = state;
    noteMissing(use, at);
    if (state === "online" || state === "busy")
        noteOnline(machine, use, at);
    noteClocksOf(use, at);
}
function noteClocksOf(use, at) {
    use.busySince = hasItsJob(use) ? (use.busySince ?? at) : undefined;
    // One that GitHub dropped was away until then.
    if (use.runner !== "gone")
        use.offlineSince = isAway(use) ? (use.offlineSince ?? at) : undefined;
}
function hasItsJob({ runner }) {
    return runner === "busy" || runner === "cut-off";
}
/** It was online, and is not connected. */
function isAway({ runner, onlineAt }) {
    return (runner === "offline" || runner === "cut-off") && onlineAt !== undefined;
}
/**
 * Single-use runners go when a job ends, and unused after a day; one look alone may be wrong. A job
 * that its list shows as running is ended by that list.
 */
function noteMissing(use, at) {
    use.missingSince = use.runner === "gone" && use.job?.isOver !== false ? (use.missingSince ?? at) : undefined;
    if (use.missingSince !== undefined && at - use.missingSince >= LOOKS_APART_MS)
        use.spentAt = at;
}
/**
 * Listeners run one after another: where a later one was online, those before it are over. One that
 * ended without a job leaves a registration that stays listed.
 */
function noteBurnt({ uses }, at) {
    const last = uses.findLastIndex(({ onlineAt }) => onlineAt !== undefined);
    for (const use of uses.slice(0, Math.max(0, last)))
        if (!hasJob(use))
            use.spentAt ??= at;
}
/** A runner that is online runs in a container that runs, however the service's state lags. */
function noteOnline(machine, use, at) {
    use.onlineAt ??= at;
    machine.runningAt ??= at;
    machine.readyAt ??= at;
    const times = machine.report?.at;
    if (times === undefined || machine.report === undefined)
        return;
    if (times.online === undefined)
        machine.report.last = "ready";
    times.online ??= at;
    times.running ??= at;
}
/** Takes jobs into the fleet. Returns the numbers of the machines whose report changed. */
function noteJobs(fleet, jobs, at) {
    const before = new Map(fleet.jobs?.ours.map(({ id, state }) => [id, state]));
    fleet.looks.jobs = at;
    fleet.jobsFault = undefined;
    fleet.jobs = jobs;
    fleet.lost = fleet.lost.filter((lost) => isStillLost(fleet, lost));
    const changed = fleet.machines.filter((machine) => noteJobsOf(machine, jobs.ours, at));
    const begun = jobs.ours.filter(({ id, state }) => state === "running" && before.get(id) !== "running");
    const ended = jobs.ours.filter(({ id, state }) => state === "over" && before.get(id) !== "over");
    if (begun.length + ended.length > 0)
        fleet.besideReady = { sumMs: 0, at: undefined };
    const unseen = ended.filter(({ id }) => before.get(id) !== "running");
    if (begun.length > 0 || unseen.some(ranHere(fleet)))
        fleet.failedSinceJob = [];
    if (ended.length > 0)
        fleet.lastEndAt = at;
    fleet.heldBack = Math.max(0, fleet.heldBack - ended.length);
    noteQuiet(fleet, at);
    return changed.map(({ n }) => n);
}
/** Lists lag: it may have done well before its machine went, or GitHub gave it another one. */
function isStillLost({ jobs, machines }, { id, n }) {
    const job = jobs?.ours.find((each) => each.id === id);
    if (job === undefined || isBad(job))
        return true;
    const uses = machines.find((machine) => machine.n === n)?.uses ?? [];
    return job.state === "running" && !note_github_isElsewhere(job, uses);
}
function note_github_isElsewhere({ runnerId, runnerName }, uses) {
    const isHere = uses.some((use) => use.runnerId === runnerId || use.runnerName === runnerName);
    return runnerName !== undefined && !isHere;
}
function ranHere({ machines }) {
    return ({ id }) => machines.some(({ uses }) => uses.some(({ job }) => job?.id === id));
}
/** True when a report changed: by a job's begin or end. */
function noteJobsOf(machine, ours, at) {
    let isChanged = false;
    let isTakenBack = false;
    const ran = [];
    for (const use of machine.uses) {
        const job = ours.find(({ runnerId, runnerName }) => runnerId === use.runnerId || runnerName === use.runnerName);
        if (job === undefined || job.state === "waiting") {
            isTakenBack = noteTakenBack(use, ours, at) || isTakenBack;
            continue;
        }
        isChanged = noteJobOf(machine, use, job, at) || isChanged;
        ran.push(ranJob(job));
    }
    noteBurnt(machine, at);
    noteRan(machine, ran, isTakenBack);
    return isChanged || isTakenBack;
}
/** True when it began or ended. */
function noteJobOf(machine, use, job, at) {
    const isChanged = use.job === undefined || use.job.isOver !== (job.state === "over");
    use.job = jobOfUse(job);
    if (job.state === "over")
        use.spentAt = Math.min(use.spentAt ?? at, job.completedAt ?? at);
    noteOnlineByJob(machine, use, { at, startedAt: job.startedAt });
    return isChanged;
}
/** GitHub gives it to another runner: this one may be free, as its own list says. True then. */
function noteTakenBack(use, ours, at) {
    const job = ours.find(({ id }) => id === use.job?.id);
    const isBack = job?.state === "waiting" || (job !== undefined && note_github_isElsewhere(job, [use]));
    if (!isBack || use.job?.isOver !== false)
        return false;
    use.job = undefined;
    use.busySince = at;
    return true;
}
function jobOfUse(job) {
    const { conclusion, id, name, state, url } = job;
    return { id, name, url, isOver: state === "over", isBad: isBad(job), hasFailed: conclusion === "failure" };
}
/** A job began on a machine that nobody saw online: for the bill it began to run just before. */
function noteOnlineByJob(machine, use, { at, startedAt = at }) {
    use.onlineAt ??= at;
    machine.readyAt ??= at;
    machine.runningAt ??= at;
    const { report } = machine;
    if (report === undefined)
        return;
    report.at.online ??= at;
    const { created, asked } = report.at;
    report.at.running ??= Math.max(created ?? asked, Math.min(startedAt, at));
    if (report.at.gone === undefined)
        report.last = "ready";
}
function noteQuiet(fleet, at) {
    const { ours = [], othersOpen = [] } = fleet.jobs ?? {};
    const isActive = ours.some((job) => isOpen(job) && !fleet.lost.some(({ id }) => id === job.id));
    fleet.aloneSince = isActive || othersOpen.length > 0 ? undefined : (fleet.aloneSince ?? at);
    fleet.heldSince = !isActive && ours.some(({ state }) => state === "held") ? (fleet.heldSince ?? at) : undefined;
}
/** It runs, or waits for a runner that it can have. */
function isOpen(job) {
    return job.state === "running" || (job.state === "waiting" && !asksForMore(job));
}
/** Sums the time of jobs that wait beside a ready machine: held back from now on, or unseen. */
function noteTime(fleet, now) {
    const { sumMs, at } = fleet.besideReady;
    const waiting = (fleet.jobs?.ours ?? []).filter((job) => job.state === "waiting" && !asksForMore(job));
    const waits = fleet.jobsFault === undefined && waiting.length > fleet.heldBack;
    const isBeside = waits && fleet.machines.some(isReady);
    const grown = isBeside && at !== undefined ? now - at : 0;
    fleet.besideReady = { sumMs: sumMs + grown, at: isBeside ? now : undefined };
    const isServed = fleet.machines.some((machine) => isReady(machine) || isBusy(machine));
    fleet.unservedSince = isServed ? undefined : fleet.unservedSince;
}

;// CONCATENATED MODULE: ./lib/create/judge-instance.js

/** Words of `status_msg` after which none was seen to start, whatever its state (field notes). */
const FATAL_TEXTS = [
    { text: /manifest unknown|manifest for .* not found|failed to resolve reference/i, blame: "image" },
    { text: /unauthorized|pull access denied|repository does not exist|no such image/i, blame: "image" },
    { text: /no space left on device|unexpected eof|oci runtime|pull rate limit|toomanyrequests/i, blame: "machine" },
    { text: /error response from daemon|failed to pull image/i, blame: "machine" },
];
/** Seed: these never run. `stopped` and `frozen` are not in it; we never ask for them. */
const ENDED = new Set(["exited", "unknown", "offline", "stopped", "frozen"]);
/**
 * Judges an instance as the service shows it. Unknown statuses are pending: the seed does not list
 * them all, and the deadlines of the caller bound the wait. `isBid`: it was rented by a bid, so
 * that what stopped it is a higher one.
 */
function judgeInstance(instance, isBid = instance.is_bid === true) {
    const status = oneLine(instance.actual_status ?? "null", 40);
    const message = oneLine(withoutKeys(instance.status_msg ?? ""));
    if (wasStopped(instance, isBid))
        return stopped(status, isBid);
    if (instance.actual_status === "running")
        return { kind: "running", status };
    // "host texts" are looked for last: a daemon's error also opens the sentences that blame the
    // image.
    const fatal = FATAL_TEXTS.find(({ text }) => text.test(message));
    if (fatal)
        return { kind: "failed", status, why: message, blame: fatal.blame };
    if (ENDED.has(instance.actual_status ?? "")) {
        return { kind: "failed", status, why: message ? `${status}: ${message}` : `it is ${status}`, blame: "machine" };
    }
    return { kind: "pending", status };
}
function stopped(status, isBid) {
    const why = isBid ? "outbid: the service stopped it" : "the service stopped it";
    return { kind: "failed", status, why, blame: "machine", ...(isBid ? { outbid: true } : { stopped: true }) };
}
/**
 * Outbid, out of credit, or stopped by hand. `actual_status` may say anything then; where it is all
 * that is shown, it says `stopped`.
 */
function wasStopped({ intended_status, cur_state, actual_status }, isBid) {
    return (intended_status === "stopped" && cur_state === "stopped") || (isBid && actual_status === "stopped");
}

;// CONCATENATED MODULE: ./lib/fleet/observe/note-found.js


/** A machine that is gone may be listed for so long. SPEC-SILENT: no figure is named. */
const LISTED_AFTER_MS = 60_000;
/**
 * Instances of ours that no machine stands for: nobody waits for them; they bill, and one may have
 * a job. Returns the numbers of the machines that they are from now on.
 */
function adoptUnknown(fleet, ours, at) {
    const known = new Set(fleet.machines.map(({ instanceId }) => instanceId));
    return ours
        .filter(({ id }) => !known.has(id))
        .flatMap((instance) => {
        const n = readLabel(instance.label ?? "")?.n;
        const machine = fleet.machines.find((each) => each.n === n);
        const stray = fleet.strays.find((each) => each.n === n);
        if (machine !== undefined)
            return adoptTwin(fleet, machine, instance, at);
        return stray === undefined
            ? []
            : adopt(fleet, stray.asked, instance, { at, from: "late, from a create that gave no answer" });
    });
}
/** A gateway may send a create once more: two instances have one label, and the same runners. */
function adoptTwin(fleet, machine, instance, at) {
    // Its create is yet to answer.
    if (machine.instanceId === undefined)
        return [];
    fleet.creates += 1;
    const { askedAt, candidate, cutBy, deadline, terms, timing } = machine;
    const uses = machine.uses.map(({ runnerId, runnerName }) => ({ runnerId, runnerName }));
    const twin = { n: fleet.creates, askedAt, candidate, cutBy, deadline, terms, timing, uses };
    fleet.strays.push({ n: twin.n, asked: twin, since: at, isUncertain: false });
    return adopt(fleet, twin, instance, { at, from: "beside another one, from one create" });
}
function adopt(fleet, asked, { id, start_date }, { at, from }) {
    const why = `it turned up ${from}, and is not needed`;
    const ending = { kind: "unneeded", why, isUnasked: false, since: at };
    const { askedAt, n, terms } = asked;
    const created = madeAt(start_date, askedAt, at);
    const report = { instanceId: id, ...terms, at: { asked: askedAt, created }, last: "created" };
    fleet.machines.push({ ...asked, instanceId: id, createdAt: askedAt, act: undefined, ending, report });
    return [n];
}
/** By the service, where that lies between our request and the list; else at the earliest. */
function madeAt(startDate, askedAt, at) {
    const start = (startDate ?? Number.NaN) * 1000;
    return start >= askedAt && start <= at ? start : askedAt;
}
/**
 * Two answers of the service may differ: what counted as gone and is listed bills, and is judged
 * anew; a job that was noted as lost with it may run on. Returns the machines' numbers.
 */
function takeBack(fleet, instances, at) {
    const listed = new Set(instances.map(({ id }) => id));
    const back = fleet.machines.filter((machine) => !isAlive(machine) && at - (machine.goneAt ?? at) >= LISTED_AFTER_MS && listed.has(machine.instanceId ?? 0));
    for (const machine of back) {
        machine.goneAt = undefined;
        machine.ending = undefined;
        if (machine.report)
            machine.report.isGone = undefined;
        for (const use of machine.uses)
            if (use.job?.isOver === false)
                use.spentAt = undefined;
        fleet.lost = fleet.lost.filter(({ id }) => !machine.uses.some(({ job }) => job?.id === id && !job.isOver));
    }
    return back.map(({ n }) => n);
}

;// CONCATENATED MODULE: ./lib/fleet/observe/note-instances.js





/** No heartbeat reached the service: that says nothing of the container, which may work on. */
const SILENT = new Set(["unknown", "offline"]);
/** A fresh instance may be missing from lists for so long. SPEC-SILENT: no figure is named. */
const note_instances_VISIBLE_AFTER_MS = 60_000;
/** Takes instances into the fleet. Returns the numbers of the machines whose report changed. */
function noteInstances(fleet, { at, prefix, instances, repositoryAlive }) {
    const before = fleet.instancesAt;
    fleet.instancesAt = at;
    fleet.looks.instances = at;
    const ours = instances.filter(({ label }) => hasPrefix(label, prefix));
    const found = [...adoptUnknown(fleet, ours, at), ...takeBack(fleet, instances, at)];
    const changed = fleet.machines
        .filter((machine) => isAlive(machine) && machine.instanceId !== undefined)
        .filter((machine) => noteOne(machine, instances.find(({ id }) => id === machine.instanceId), { at, before }))
        .map(({ n }) => n);
    fleet.repositoryAlive = repositoryAlive + fleet.machines.filter(isTooFresh).length;
    return [...new Set([...found, ...changed])];
}
/** Lists are yet to show it. */
function isTooFresh(machine) {
    const { absentSince, instanceId, verdict } = machine;
    return isAlive(machine) && instanceId !== undefined && absentSince === undefined && verdict === undefined;
}
/** True when its report changed. */
function noteOne(machine, instance, when) {
    if (instance === undefined)
        return noteAbsence(machine, when);
    const { candidate, report } = machine;
    machine.absentSince = undefined;
    const { ssh_host, ssh_port, public_ipaddr, ports } = instance;
    machine.address = { ssh_host, ssh_port, public_ipaddr, ports };
    machine.isSilent = SILENT.has(instance.actual_status ?? "");
    machine.verdict = judgeInstance(instance, instance.is_bid ?? candidate.price.bid !== undefined);
    machine.brokenSince = machine.verdict.kind === "failed" ? (machine.brokenSince ?? when.at) : undefined;
    const isNew = machine.verdict.kind === "running" && noteRunning(machine, when);
    if (report === undefined)
        return isNew;
    const isBack = noteReturn(machine, report);
    return noteFigures(report, instance) || isNew || isBack;
}
/** It was taken for gone, and bills on. True then. */
function noteReturn(machine, report) {
    if (report.at.gone === undefined)
        return false;
    report.at.gone = undefined;
    if (wasReady(machine))
        report.last = "ready";
    return true;
}
/**
 * A container begins to run some time between two looks: for the bill, in the middle. Limits count
 * from when it was seen.
 */
function noteRunning(machine, when) {
    if (machine.runningAt !== undefined)
        return false;
    machine.runningAt = when.at;
    if (machine.report)
        machine.report.at.running ??= middle(machine, when);
    return true;
}
/** It went some time between two looks: for the bill, in the middle. */
function noteAbsence(machine, when) {
    const { report, verdict, createdAt = when.at } = machine;
    if (verdict === undefined && when.at - createdAt <= note_instances_VISIBLE_AFTER_MS && !wasReady(machine))
        return false;
    machine.absentSince ??= when.at;
    if (report === undefined || report.at.gone !== undefined)
        return false;
    report.at.gone = middle(machine, when);
    report.last = wasReady(machine) ? "gave itself back" : report.last;
    return true;
}
function middle({ createdAt, askedAt }, { at, before }) {
    return Math.round((Math.max(createdAt ?? askedAt, Math.min(before ?? at, at)) + at) / 2);
}

;// CONCATENATED MODULE: ./lib/fleet/observe/observe.js





/** A list that takes longer must not keep the loop from its other looks. */
const LIST_WITHIN_MS = 15_000;
/** GitHub may have said to come later, and locks out who goes on asking with a refused token. */
const observe_ASK_AGAIN_MS = { unanswered: 15_000, refused: 60_000 };
/**
 * Asks for the three lists, each when it is due: our runners, our instances, then the jobs, which
 * are asked for at once when the others changed; one request each for the whole fleet.
 */
class Observer {
    #deps;
    #request;
    #asked = { runners: -Infinity, jobs: -Infinity, instances: -Infinity };
    #told = new Set();
    /** The runners are not asked about before then, in milliseconds since the epoch. */
    #runnersAgainAt = -Infinity;
    /** `listedAt`: when the instances were listed before the loop began. */
    constructor(deps, request, listedAt) {
        this.#deps = deps;
        this.#asked.instances = listedAt ?? -Infinity;
        this.#request = request;
    }
    /** When the next list is due, in milliseconds since the epoch. */
    nextAt(pace) {
        return Math.min(...LISTS.filter((list) => Number.isFinite(pace[list])).map((list) => this.#dueAt(list, pace)));
    }
    /** Reads what is due into the fleet. Returns the numbers of the machines whose report changed. */
    async look(fleet, pace) {
        const before = statesOf(fleet);
        const isDue = (list) => this.#deps.clock.now() >= this.#dueAt(list, pace);
        const changed = [];
        if (isDue("runners"))
            changed.push(...(await this.#lookAtRunners(fleet)));
        if (isDue("instances"))
            changed.push(...(await this.#lookAtInstances(fleet)));
        // GitHub at once when something changed; else at its own pace.
        if (isDue("jobs") || (Number.isFinite(pace.jobs) && statesOf(fleet) !== before))
            changed.push(...(await this.#lookAtJobs(fleet)));
        return changed;
    }
    #dueAt(list, pace) {
        const at = this.#asked[list] + pace[list];
        return list === "runners" ? Math.max(at, this.#runnersAgainAt) : at;
    }
    async #lookAtRunners(fleet) {
        const { clock, runners, signal } = this.#deps;
        this.#asked.runners = clock.now();
        const ids = fleet.machines
            .filter(isAlive)
            .flatMap(({ uses }) => uses.flatMap(({ runnerId, spentAt }) => (spentAt === undefined ? [runnerId] : [])));
        if (ids.length === 0)
            return [];
        const seen = await runners.look(new Set(ids), signal);
        if (seen !== undefined)
            return noteRunners(fleet, seen, clock.now());
        const why = runners.refusedSince === undefined ? "unanswered" : "refused";
        this.#runnersAgainAt = clock.now() + observe_ASK_AGAIN_MS[why];
        return [];
    }
    async #lookAtInstances(fleet) {
        const { aliveOfRepository, clock, log, service, signal } = this.#deps;
        this.#asked.instances = clock.now();
        try {
            const instances = await service.listInstances({ signal, until: clock.now() + LIST_WITHIN_MS });
            const repositoryAlive = aliveOfRepository(instances);
            return noteInstances(fleet, { at: clock.now(), prefix: this.#request.prefix, instances, repositoryAlive });
        }
        catch (error) {
            signal.throwIfAborted();
            // Whatever the service says instead of a list is no evidence about any machine.
            if (!(error instanceof UserError))
                throw error;
            this.#tellOnce(error.message, () => log.info(`The service gave no usable answer; asking again. ${error.message}`));
            return [];
        }
    }
    async #lookAtJobs(fleet) {
        const { clock, listJobs, log, signal, whose } = this.#deps;
        this.#asked.jobs = clock.now();
        try {
            const listed = await listJobs(signal);
            if (listed !== undefined)
                return noteJobs(fleet, sortJobs(listed, whose), clock.now());
            fleet.jobsFault ??= { since: clock.now(), why: "GitHub could not be asked" };
        }
        catch (error) {
            signal.throwIfAborted();
            if (!(error instanceof UserError) || fleet.jobs === undefined)
                throw error;
            // Machines work on; a token that fails now must not take them away.
            fleet.jobsFault ??= { since: clock.now(), why: error.message };
            this.#tellOnce(error.message, () => log.warning(error.message));
        }
        return [];
    }
    #tellOnce(text, tell) {
        if (!this.#told.has(text))
            tell();
        this.#told.add(text);
    }
}
const LISTS = ["runners", "jobs", "instances"];
/** The states whose change has GitHub asked at once. */
function statesOf({ machines }) {
    return JSON.stringify(machines.map(({ absentSince, uses, verdict }) => [absentSince, verdict?.kind, uses.map(({ runner }) => runner)]));
}

;// CONCATENATED MODULE: ./lib/fleet/plan/plan-count.js




/** Spares are started for so many of the waiting jobs: a fifth of the hosts is broken. */
const SPARES = 1.4;
/**
 * Machines beyond the waiting jobs that are kept on their way: a machine that boots bills no GPU,
 * its bytes are mostly spent, and the last of many jobs waits for the slowest. On the bench's
 * market that takes a third off the last of 16, and costs nothing.
 */
const SURPLUS = 6;
/** DESIGN, "How many": what to start and to give up. An unreadable list changes nothing. */
function countMachines(fleet, policy, now) {
    const free = fleet.machines.filter((machine) => isFree(machine, policy, now)).sort(byFarness);
    // A surplus machine, such as a stray create, takes no place of one that is wanted.
    const room = free.length + Math.max(0, policy.machines - fleet.machines.filter(isCounted).length);
    const sizes = { fleet, policy, now, free, room, n: waitingJobs(fleet, now).length };
    if (!policy.hold)
        return one(sizes);
    if (fleet.jobs === undefined || fleet.jobsFault !== undefined)
        return { wanted: free.length, lacking: 0, unneeded: [] };
    if (sizes.n === 0)
        return expected(sizes);
    return policy.hedge ? hedged(sizes) : plain(sizes);
}
/** The jobs that wait: not held back by GitHub, not asking for more, no busy runner of theirs. */
function waitingJobs({ jobs, machines, heldBack }, now) {
    const waiting = (jobs?.ours ?? []).filter((job) => job.state === "waiting" && !asksForMore(job));
    const unlisted = machines.filter((machine) => awaitsListing(machine, now));
    return waiting.slice(0, Math.max(0, waiting.length - heldBack - unlisted.length));
}
/** `hold: false`: one machine, whatever jobs there are; a job may have come to it already. */
function one({ fleet, free }) {
    const isThere = free.length > 0 || fleet.machines.some(isBusy);
    return { wanted: 1, lacking: isThere ? 0 : 1, unneeded: [] };
}
/** Whether there is room for them now or not: one that ends may still be in their place. */
function wantedFor({ fleet, policy, n }) {
    return Math.max(0, Math.min(n, policy.machines - fleet.machines.filter(isBusy).length));
}
function hedged(sizes) {
    const { fleet, policy, now, n, free, room } = sizes;
    const late = free.filter((machine) => isLate(machine, now));
    const inTime = free.length - late.length + soonFree(fleet, policy, now);
    const target = Math.min(n === 1 ? 1 : Math.ceil(SPARES * n), room - late.length);
    const ready = free.filter(isReady);
    const kept = ready.length >= n ? n : Math.max(2 * n, n + SURPLUS, target + late.length);
    // More would be given up at once.
    const lacking = Math.max(0, Math.min(target - inTime, kept - free.length));
    return { wanted: wantedFor(sizes), lacking, unneeded: free.slice(kept).reverse() };
}
function plain(sizes) {
    const { fleet, policy, now, n, free, room } = sizes;
    const wanted = wantedFor(sizes);
    const lacking = Math.max(0, Math.min(n, room) - free.length - soonFree(fleet, policy, now));
    return { wanted, lacking, unneeded: free.slice(wanted).reverse() };
}
/** Busy machines that are likely to be free for another job before a new one would be ready. */
function soonFree({ jobs, machines }, policy, now) {
    const usualMs = expectedJobMs(finishedMs(jobs));
    return machines.filter((machine) => {
        const leftMs = usualMs - (now - begunAt(machine, jobs));
        return hasNextUse(machine, policy, now) && leftMs >= 0 && leftMs < machine.timing.expectedMs;
    }).length;
}
/** When its job began, as GitHub tells it; else when it could have. */
function begunAt(machine, jobs) {
    const id = currentUse(machine)?.job?.id;
    return jobs?.ours.find((job) => job.id === id)?.startedAt ?? idleSince(machine);
}
/** Jobs of ours that came so far, those on a busy runner included that the list lacks. */
function cameSoFar({ fleet: { jobs, machines }, now }) {
    const count = (...states) => jobs?.ours.filter(({ state }) => states.includes(state)).length ?? 0;
    const unlisted = machines.filter((machine) => awaitsListing(machine, now)).length;
    return count("running", "over") + Math.max(count("waiting"), unlisted);
}
/** Nobody waits: ready machines are kept for expected jobs; one is rented at once if wanted. */
function expected(sizes) {
    const { policy, now, free, room } = sizes;
    const came = cameSoFar(sizes);
    const isAtOnce = came === 0 && policy.waitForJobMs === 0;
    const mayCome = isAtOnce || (policy.jobs !== "auto" && came < policy.jobs && policy.attempt === 1);
    if (!mayCome)
        return { wanted: 0, lacking: 0, unneeded: [...free].reverse() };
    // Between two jobs it is starting again: that it was ready counts.
    const kept = free.filter((machine) => wasReady(machine) && now - idleSince(machine) < policy.idleMs);
    const wanted = isAtOnce ? 1 : kept.length;
    const keeps = new Set(isAtOnce ? free.slice(0, 1) : kept);
    return {
        wanted,
        lacking: Math.max(0, Math.min(wanted, room) - free.length),
        unneeded: free.filter((machine) => !keeps.has(machine)).reverse(),
    };
}

;// CONCATENATED MODULE: ./lib/fleet/plan/pace.js


/** Seed, Limits: one look every 10 seconds is advised, counted from arrival to arrival. */
const BOOT_MS = 10_500;
const HELD_MS = 15_000;
/** The delay until main sees a runner online. An unchanged list costs nothing: a 304. */
const STARTING_MS = 2500;
const WAITING_MS = 15_000;
/**
 * A running job changes its list at every step, so that each answer is counted. A little over a
 * minute: with the look that is asked for out of turn, no hour has more than 60.
 */
const RUNNING_MS = 62_000;
/** A doubt that lasts longer waits for the service's list, not for GitHub's. */
const DOUBT_MS = 300_000;
/** All workflows of the repository share the token's requests: below this, we ask less often. */
const FEW_REQUESTS = 100;
const SLOWER_BY = 4;
/** A create may come true so much later; one that gave no answer is looked for on, more seldom. */
const STRAY_MS = 90_000;
/** How often to look at what, now. `requestsLeft`: of job-token in this hour. */
function paceOf(fleet, policy, now, requestsLeft) {
    const stages = fleet.machines.filter(isAlive).map(stageOf);
    const slower = isShort(requestsLeft) ? SLOWER_BY : 1;
    return {
        runners: runnersEvery(fleet, stages, now),
        jobs: policy.hold ? jobsEvery(fleet, policy, now) * slower : Number.POSITIVE_INFINITY,
        instances: instancesEvery(fleet, stages, now),
    };
}
/** True while few requests are left. */
function isShort(requestsLeft) {
    return requestsLeft !== undefined && requestsLeft < FEW_REQUESTS;
}
/** The job that runs on a machine tells all that its runner could; one that is not listed, none. */
function runnersEvery(fleet, stages, now) {
    if (stages.includes("starting"))
        return STARTING_MS;
    if (stages.includes("booting"))
        return BOOT_MS;
    const isSilent = fleet.machines.some((machine) => isAlive(machine) && machine.isSilent === true);
    if (isSilent)
        return HELD_MS;
    if (isListAwaited(fleet, now))
        return WAITING_MS;
    if (!stages.includes("ready") && !fleet.machines.some(isUnlisted))
        return Number.POSITIVE_INFINITY;
    return waitingJobs(fleet, now).length > 0 ? WAITING_MS : RUNNING_MS;
}
function jobsEvery(fleet, policy, now) {
    const isFreeThere = fleet.machines.some((machine) => isFree(machine, policy, now));
    const isBusyThere = fleet.machines.some(isBusy);
    const isFresh = Object.values(fleet.doubts).some((since) => now - since < DOUBT_MS);
    const isInDoubt = isFresh || isListAwaited(fleet, now);
    const isAsked = waitingJobs(fleet, now).length > 0 && isFreeThere;
    return isInDoubt || isAsked || (!isBusyThere && !isFreeThere) ? WAITING_MS : RUNNING_MS;
}
function isListAwaited({ machines }, now) {
    return machines.some((machine) => awaitsListing(machine, now));
}
function instancesEvery(fleet, stages, now) {
    if (stages.some((stage) => stage === "booting" || stage === "starting"))
        return BOOT_MS;
    const isNeeded = stages.length > 0 || fleet.unservedSince !== undefined;
    if (isNeeded || fleet.strays.some(({ since }) => now - since < STRAY_MS))
        return HELD_MS;
    return fleet.strays.some(({ isUncertain }) => isUncertain) ? RUNNING_MS : Number.POSITIVE_INFINITY;
}

;// CONCATENATED MODULE: ./lib/fleet/plan/plan-end.js



/** With nothing alive, GitHub may be away for so long. */
const BLIND_MS = 600_000;
/** With nothing else open, a job whose needs are just over appears within so long. */
const ALONE_MS = 30_000;
/** A machine that ends is waited for so long: a job may have come to it, unseen by post. */
const GIVEN_BACK_WITHIN_MS = 90_000;
/** DESIGN, "The end": the first row that holds. */
const plan_end_ROWS = [alone, allOver, noneLeft, held, unseen, plan_end_stopped];
/** How it ends; undefined: it goes on. Every end but that of an unreadable list needs two looks. */
function endOf(fleet, policy, stop, now) {
    if (!policy.hold)
        return endWithoutHold(fleet, stop, now);
    if (fleet.jobsFault !== undefined)
        return blind(fleet, fleet.jobsFault, now);
    if (fleet.jobs === undefined)
        return undefined;
    // Post would destroy it under the job that the next list shows.
    if (fleet.machines.some((machine) => awaitsListing(machine, now)))
        return undefined;
    const facts = factsOf(fleet, policy, stop, now);
    for (const row of plan_end_ROWS) {
        const end = row(facts);
        if (end !== undefined)
            return end;
    }
    return undefined;
}
function factsOf(fleet, policy, stop, now) {
    const lost = new Set(fleet.lost.map(({ id }) => id));
    const ours = (fleet.jobs?.ours ?? []).filter(({ id }) => !lost.has(id));
    const refused = ours.filter(asksForMore);
    const of = (state) => ours.filter((job) => job.state === state && !refused.includes(job));
    const over = of("over").length + lost.size + refused.length;
    return { fleet, policy, now, stop, ours, waiting: of("waiting"), running: of("running"), held: of("held"), over };
}
function endWithoutHold(fleet, stop, now) {
    // Nobody sees to it while later steps run: post comes after them.
    if (fleet.machines.some((machine) => isGivenBack(machine, now)))
        return undefined;
    if (fleet.machines.some((machine) => isReady(machine) || isBusy(machine)))
        return { kind: "ready" };
    const isComing = fleet.machines.some((machine) => isAlive(machine) && machine.ending === undefined);
    return stop !== undefined && !isComing && !mayPaySoon(fleet, stop) ? { kind: "stopped", stop, jobs: [] } : undefined;
}
/** It is not gone yet, and may soon be. */
function isGivenBack(machine, now) {
    return isAlive(machine) && machine.ending !== undefined && now - machine.ending.since < GIVEN_BACK_WITHIN_MS;
}
/** Bounded by the machines' deadlines; the error says what could not be read, and why. */
function blind({ machines }, { since, why }, now) {
    const isHeld = machines.some((machine) => isAlive(machine) && now < machine.deadline);
    return isHeld || now - since < BLIND_MS ? undefined : { kind: "unreadable", why };
}
function alone({ fleet: { jobs }, ours }) {
    return ours.length === 0 && jobs?.others === 0 && jobs.ours.length === 0 ? { kind: "alone" } : undefined;
}
/** Kept for a look at the job that failed on it, unless something ends the machine earlier. */
function isKept({ fleet, policy, now }) {
    return fleet.machines.some((machine) => isAlive(machine) && isKeptForLook(machine, policy) && now < destroyAt(machine, policy));
}
function isActive({ waiting, running }) {
    return waiting.length + running.length > 0;
}
function allOver(facts) {
    const { policy, over, held: open } = facts;
    if (isActive(facts) || open.length > 0 || isKept(facts))
        return undefined;
    const expected = policy.jobs === "auto" || policy.attempt > 1 ? 1 : policy.jobs;
    return over >= expected ? overWith(facts) : undefined;
}
function overWith({ fleet, ours }) {
    return { kind: "over", bad: ours.filter(isBad), lost: fleet.lost, refused: ours.filter(asksForMore) };
}
function noneLeft(facts) {
    const { fleet, policy, over, held: open, now } = facts;
    if (isActive(facts) || open.length > 0 || isKept(facts))
        return undefined;
    const isQuiet = fleet.aloneSince !== undefined && now - fleet.aloneSince >= ALONE_MS;
    const hasWaited = policy.waitForJobMs > 0 && now - fleet.lastEndAt >= policy.waitForJobMs;
    if (!isQuiet && !hasWaited && !(over === 0 && isIdle(facts)))
        return undefined;
    if (over > 0)
        return { kind: "too-few", came: over, expected: Number(policy.jobs) };
    return (fleet.jobs?.othersOpen.length ?? 0) > 0 ? { kind: "none-asked", open: fleet.jobs } : { kind: "none-came" };
}
/** The machine that was rented for nobody was not needed. */
function isIdle({ fleet, policy, now }) {
    const came = fleet.machines.filter((machine) => isReady(machine) || machine.ending?.kind === "over");
    // One that had a job was needed, however long ago.
    const forNobody = came.filter(({ uses }) => uses.every(({ job }) => job === undefined));
    return policy.waitForJobMs === 0 && forNobody.some((machine) => now - idleSince(machine) >= policy.idleMs);
}
function held(facts) {
    const { fleet, held: open, now, policy } = facts;
    if (isActive(facts) || open.length === 0 || isKept(facts))
        return undefined;
    const { heldSince = now } = fleet;
    // With `wait-for-job: 0s` a machine that is there is waited for: it may be booting.
    const isOnItsWay = policy.waitForJobMs === 0 && fleet.machines.some((machine) => isFree(machine, policy, now));
    const hasWaited = !isOnItsWay && now - heldSince >= (policy.waitForJobMs || policy.idleMs);
    return hasWaited || isIdle(facts) ? { kind: "held", job: open[0] } : undefined;
}
/** They wait beside ready machines, and none ever came to one: GitHub gives them none of ours. */
function unseen({ fleet, policy, waiting }) {
    // For GitHub one that was lost runs, and takes a place of max-parallel, until it is missed there.
    const isRunning = fleet.jobs?.ours.some(({ state }) => state === "running");
    const isUnseen = waiting.length > 0 && !isRunning && fleet.besideReady.sumMs >= policy.idleMs;
    return isUnseen ? { kind: "unseen", job: waiting[0] } : undefined;
}
/** Nothing is rented any more, and no machine is left that a job could have. */
function plan_end_stopped(facts) {
    const { fleet, policy, stop, waiting, running, over, now } = facts;
    // With `wait-for-job: 0s` one is rented for jobs that are still to come.
    const isForNobody = policy.waitForJobMs === 0 && running.length + over === 0;
    if (stop === undefined || (waiting.length === 0 && !isForNobody) || isKept(facts))
        return undefined;
    const isServed = fleet.machines.some((machine) => isFree(machine, policy, now) || isBusy(machine) || isGivenBack(machine, now));
    return isServed || mayPaySoon(fleet, stop) ? undefined : { kind: "stopped", stop, jobs: waiting };
}
/** Money set aside for a machine pays the next one when it is gone. */
function mayPaySoon({ machines }, stop) {
    return stop.kind === "max-cost" && machines.some(isAlive);
}

;// CONCATENATED MODULE: ./lib/fleet/plan/plan-rent.js



/** A list that is older says nothing of how many machines are alive. */
const LIST_KEEPS_MS = 15_000;
/** One create at a time, of the best offer that is known; a search where none is. */
function renting(fleet, policy, now) {
    const { instancesAt, machines, pause, repositoryAlive } = fleet;
    if (machines.some(({ act }) => act === "asking"))
        return {};
    if (pause !== undefined && now < pause.until)
        return { waitsFor: "pause" };
    // While no list can be read nothing is created.
    const isKnown = instancesAt !== undefined && now - instancesAt <= LIST_KEEPS_MS;
    if (!isKnown || machines.filter(isCounted).length >= policy.machines)
        return {};
    if (repositoryAlive >= policy.machinesPerRepository)
        return { waitsFor: "repository" };
    const candidate = isMarketFresh(fleet, now) ? pickOffer(fleet, now) : undefined;
    return candidate === undefined ? nextSearch(fleet, now) : { act: { do: "create", candidate } };
}
/** For a machine that is kept only while no other offer is to be had. */
function searching(fleet, policy, now) {
    const isAsked = fleet.machines.some((machine) => isJudged(machine) && asksMarket({ machine, fleet, policy, now }));
    return isAsked ? nextSearch(fleet, now).act : undefined;
}
function nextSearch({ market }, now) {
    return market === undefined || now >= market.searchAgainAt ? { act: { do: "search" } } : {};
}

;// CONCATENATED MODULE: ./lib/fleet/plan/plan-stop.js


/** Machines that fail on one image, or end while they prepare, until that is taken as the cause. */
const SAME_FAULT = 2;
/** DESIGN, "Renting stops": the first reason that holds. */
function stopOf(fleet, policy, now) {
    const failures = failuresOf(fleet);
    const kind = failed(fleet, policy, failures) ??
        madeVolume(fleet, policy) ??
        nothingFits(fleet, policy, now) ??
        plan_stop_tooLate(fleet, policy, now);
    return refused(fleet) ?? (kind && { kind, failures });
}
function refused({ machines, refusal }) {
    // Nothing more is rented while it is not sure that what was rented can be ended.
    const fault = machines.find((machine) => isAlive(machine) && machine.fault !== undefined)?.fault;
    if (fault !== undefined)
        return { kind: "undestroyed", fault };
    return refusal === undefined ? undefined : { kind: "refused", refusal };
}
function failed({ mostWanted }, policy, failures) {
    if (hostsOf(blamed(failures, "image")) >= SAME_FAULT)
        return "image";
    if (policy.hasProbe && hostsOf(blamed(failures, "preparing")) >= SAME_FAULT)
        return "preparing";
    return failures.length >= policy.attempts * Math.max(1, mostWanted) ? "attempts" : undefined;
}
/** One is there, or may come to be, with the first machine. */
function madeVolume({ machines, strays }, { makesVolume }) {
    const mayBeMade = machines.length > 0 || strays.some(({ isUncertain }) => isUncertain);
    return makesVolume && mayBeMade ? "volume" : undefined;
}
function nothingFits({ machines, market, noOfferSince }, { searchMs }, now) {
    if (noOfferSince === undefined)
        return undefined;
    if (market?.nothing instanceof NoOfferError && market.nothing.explanation.input === "max-cost") {
        // A machine that went since has given back what was set aside for it.
        const isOutdated = machines.some(({ goneAt = 0 }) => goneAt > market.searchedAt);
        return isOutdated ? undefined : "max-cost";
    }
    return now - noOfferSince < searchMs ? undefined : "no-offer";
}
function plan_stop_tooLate({ unservedSince }, { readyMs }, now) {
    return unservedSince !== undefined && now - unservedSince >= readyMs ? "ready-timeout" : undefined;
}
/** Machines that failed, were lost or ended without a job, since a job last began. */
function failuresOf({ machines, failedSinceJob }) {
    return machines.filter(({ n }) => failedSinceJob.includes(n));
}
/** Those of them that failed by this. */
function blamed(failures, blame) {
    return failures.filter(({ ending }) => ending?.blame === blame);
}
/** How many hosts they are; one that is not told is another for each of its offers. */
function hostsOf(machines) {
    return new Set(machines.map(({ candidate: { offer } }) => offer.machine_id ?? -offer.id)).size;
}

;// CONCATENATED MODULE: ./lib/fleet/plan/plan.js








/** The one place where anything is decided: from what was seen to what is to be done. Pure. */
function plan(fleet, policy, now) {
    const doubts = new DoubtBook(fleet);
    const endings = judge(fleet, policy, doubts, now);
    const sure = endings.filter(({ isSure }) => isSure);
    const heldBack = heldBackNow(fleet, policy);
    const after = withEndings({ ...fleet, heldBack }, sure, policy);
    const count = countMachines(after, policy, now);
    const stop = stopOf(after, policy, now);
    const end = sureEnd(endOf(after, policy, stop, now), policy, doubts);
    const isOver = end?.kind === "over";
    // While some other free machine is in doubt, it is not clear how many there are.
    const doubtful = new Set(endings.filter(({ isSure }) => !isSure).map(({ n }) => n));
    const isClear = isOver || !fleet.machines.some((each) => doubtful.has(each.n) && isFree(each, policy, now));
    const unneeded = isClear ? plan_giveUp(count.unneeded, doubts, now, isOver) : [];
    const decided = [...sure.map(({ n, ending }) => ({ n, ending })), ...unneeded];
    // An offer may still come while machines work.
    const mayRent = stop === undefined || stop.kind === "no-offer";
    const rent = count.lacking > 0 && mayRent ? renting(after, policy, now) : {};
    const act = rent.act ?? searching(after, policy, now);
    return {
        acts: [...endingActs(withEndings(fleet, decided, policy), policy, now), ...(act ? [act] : [])],
        endings: decided,
        end,
        stop: count.wanted > 0 ? stop : undefined,
        wanted: count.wanted,
        lacking: count.lacking,
        heldBack,
        waitsFor: rent.waitsFor,
        doubts: doubts.kept,
    };
}
function judge(fleet, policy, doubts, now) {
    return fleet.machines.filter(isJudged).flatMap((machine) => {
        const verdict = judgeMachine({ machine, fleet, policy, now });
        if (verdict === undefined)
            return [];
        const key = `machine ${machine.n}: ${verdict.ending.kind}`;
        const isSure = !verdict.isGrave || doubts.confirms(key, "instances");
        return [{ n: machine.n, ending: { ...verdict.ending, since: doubts.since(key) ?? now }, isSure }];
    });
}
/** Findings of one look, which count when a look 15 s later shows them, too. */
class DoubtBook {
    kept = {};
    #fleet;
    constructor(fleet) {
        this.#fleet = fleet;
    }
    /** When the list was read that first showed it. */
    since(key) {
        return this.kept[key];
    }
    /** `list`: the one that must have been read again. */
    confirms(key, list) {
        const { doubts, looks } = this.#fleet;
        const first = doubts[key] ?? looks[list];
        this.kept[key] = first;
        return looks[list] - first >= LOOKS_APART_MS;
    }
}
function sureEnd(end, policy, doubts) {
    if (end === undefined || isSureAtOnce(end, policy))
        return end;
    return doubts.confirms(nameOf(end), "jobs") ? end : undefined;
}
/** Two looks must say the same of each job. */
function nameOf(end) {
    if (end.kind !== "over")
        return `end: ${end.kind}`;
    return `end: over, not well: ${[...end.bad, ...end.lost, ...end.refused].map(({ id }) => id).join(" ")}`;
}
/** Ends that no list of jobs is needed for, or that can't have one. */
function isSureAtOnce(end, { hold }) {
    return !hold || end.kind === "unreadable";
}
/** Two looks must show it; one, when all jobs are over. */
function plan_giveUp(unneeded, doubts, now, isOver) {
    return unneeded
        .filter(({ instanceId }) => instanceId !== undefined)
        .filter(({ n }) => doubts.confirms(`machine ${n}: unneeded`, "jobs") || isOver)
        .map(({ n }) => ({ n, ending: { kind: "unneeded", why: "no job needs it", isUnasked: false, since: now } }));
}
/** Machines whose end is decided, and for whom nothing is under way. */
function endingActs({ machines }, policy, now) {
    return machines
        .filter((machine) => isAlive(machine) && machine.act === undefined && now >= (machine.askAgainAt ?? 0))
        .flatMap((machine) => {
        const { deadline, ending, n } = machine;
        if (ending === undefined)
            return [];
        if (now >= destroyAt(machine, policy))
            return [{ do: ending.isUnasked || now >= deadline ? "destroy" : "give-up", n }];
        return currentUse(machine) === undefined ? [] : [{ do: "retire", n }];
    });
}
/** Jobs that waited long beside ready machines while one ran: max-parallel or the like. */
function heldBackNow(fleet, { idleMs }) {
    const { besideReady, heldBack, jobs, jobsFault, lost } = fleet;
    if (jobs === undefined || jobsFault !== undefined)
        return heldBack;
    const waiting = jobs.ours.filter((job) => job.state === "waiting" && !asksForMore(job)).length;
    const isRunning = jobs.ours.some(({ id, state }) => state === "running" && !lost.some((each) => each.id === id));
    // Only one that runs can hold others back: one of them may come now.
    if (!isRunning)
        return Math.max(0, Math.min(heldBack, waiting - 1));
    return besideReady.sumMs < idleMs ? Math.min(heldBack, waiting) : waiting;
}

;// CONCATENATED MODULE: ./lib/fleet/remember.js


/** Tells the history what became of each machine, once for each thing. */
class Rememberer {
    #history;
    #request;
    #told = new Set();
    constructor(history, request) {
        this.#history = history;
        this.#request = request;
    }
    look({ machines }) {
        for (const machine of machines) {
            for (const fate of fatesOf(machine, this.#request)) {
                const key = `${machine.n} ${fate.kind}`;
                if (!this.#told.has(key))
                    this.#history.note(fate);
                this.#told.add(key);
            }
        }
    }
}
function fatesOf(machine, request) {
    const { candidate, createdAt, ending, runningAt, uses } = machine;
    const { machine_id: id } = candidate.offer;
    if (id === undefined)
        return [];
    const image = imageMark(request.image);
    const served = uses.find(({ job, onlineAt }) => job !== undefined && onlineAt !== undefined);
    // Learnt is the ratio to the time of a host of which nothing is known.
    const estimateMs = candidate.expected?.hasImage ? undefined : expectedBootMs(request.image, candidate.offer);
    return [
        ...(runningAt !== undefined && createdAt !== undefined
            ? [{ kind: "booted", machine: id, at: runningAt, image, estimateMs, actualMs: runningAt - createdAt }]
            : []),
        ...(served?.onlineAt === undefined ? [] : [{ kind: "served", machine: id, at: served.onlineAt }]),
        ...(ending !== undefined && isHostsFault(ending)
            ? [{ kind: "failed", machine: id, at: ending.since }]
            : []),
    ];
}
/** Neither the image's, nor the account's: a higher bid, no credit, a create that was refused. */
function isHostsFault({ blame, isOutbid, isStopped, kind }) {
    const hasFailed = ["failed", "lost", "dropped"].includes(kind);
    return hasFailed && blame !== "image" && blame !== "refused" && !isOutbid && !isStopped;
}

;// CONCATENATED MODULE: ./lib/shared/counted.js
/** A number with what it counts: `1 offer`, `4 offers`. */
function counted(count, one) {
    return `${count} ${one}${count === 1 ? "" : "s"}`;
}

;// CONCATENATED MODULE: ./lib/fleet/tell.js







/** At most one line a minute tells of the jobs, and each change of a machine has one. */
const LINE_EVERY_MS = 60_000;
/** Says each thing once, when it changes. */
class ProgressLog {
    #deps;
    #policy;
    #machines = new Map();
    #told = new Set();
    #jobs = "";
    #jobsAt = Number.NEGATIVE_INFINITY;
    constructor(deps, policy) {
        this.#deps = deps;
        this.#policy = policy;
    }
    tell(fleet, decided, now) {
        for (const machine of fleet.machines)
            this.#tellMachine(machine, decided, now);
        this.#tellJobs(fleet, now);
        this.#warn(fleet, decided);
    }
    #tellMachine(machine, { lacking, stop, waitsFor }, now) {
        const line = lineOf(machine);
        if (line !== undefined && this.#machines.get(machine.n) !== line)
            this.#deps.log.info(`machine ${machine.n}: ${line}`);
        if (line !== undefined)
            this.#machines.set(machine.n, line);
        const dear = describeDear(machine);
        if (dear !== undefined)
            this.#once(`dear ${machine.n}`, () => this.#deps.log.warning(dear));
        if (!this.#policy.hedge || !isLate(machine, now) || !isAlive(machine))
            return;
        const isStarted = lacking > 0 && stop === undefined && waitsFor === undefined;
        const next = isStarted ? ": starting another one" : "";
        this.#once(`late ${machine.n}`, () => this.#deps.log.info(`machine ${machine.n}: late (${describeLate(machine, now)})${next}.`));
    }
    #tellJobs({ jobs, machines, jobsFault }, now) {
        if (!this.#policy.hold)
            return;
        const line = jobsFault === undefined ? jobsLine(jobs, machines.some(isAlive), this.#policy) : "GPU jobs: unknown.";
        if (line === this.#jobs || now - this.#jobsAt < LINE_EVERY_MS)
            return;
        this.#jobs = line;
        this.#jobsAt = now;
        this.#deps.log.info(line);
    }
    #warn(fleet, { lacking, stop, waitsFor }) {
        const { log, requestsLeft } = this.#deps;
        this.#tellJobsOf(fleet);
        if (fleet.isOnDemand)
            this.#once("on demand", () => log.info(ON_DEMAND));
        if (fleet.heldBack > 0)
            this.#once("held back", () => log.warning(HELD_BACK));
        if (waitsFor === "repository")
            this.#once("repository", () => log.info(describeFull(fleet, this.#policy)));
        if (isShort(requestsLeft()))
            this.#once("requests", () => log.warning(tell_FEW_REQUESTS));
        // With a new volume one machine is all that was ever to be rented: no news while it serves.
        if (stop !== undefined && (stop.kind !== "volume" || lacking > 0))
            this.#once(`stop ${stop.kind}`, () => log.warning(`No more machines are rented for now (${STOPS[stop.kind]}).`));
    }
    #tellJobsOf({ jobs }) {
        const { log } = this.#deps;
        const listed = jobs?.ours.length ?? 0;
        if (isMore(listed, this.#policy))
            this.#once("more", () => log.warning(describeMore(listed, this.#policy)));
        for (const job of jobs?.ours ?? []) {
            if (asksForMore(job))
                this.#once(`labels ${job.id}`, () => log.warning(describeLabels(job)));
            if (job.state === "held")
                this.#once(`held ${job.id}`, () => log.info(describeHeld(job.name)));
        }
    }
    #once(key, tell) {
        if (!this.#told.has(key))
            tell();
        this.#told.add(key);
    }
}
const STOPS = {
    "no-offer": "no offer fits",
    "max-cost": "max-cost is used up",
    refused: "the last request was refused",
    undestroyed: "a machine could not be destroyed",
    attempts: "too many machines failed",
    image: "the image can't be pulled",
    preparing: "machines give themselves back while they prepare",
    "ready-timeout": "ready-timeout is over",
    volume: "each would make another volume",
};
const HELD_BACK = "GPU jobs wait beside machines that are ready while another one runs: max-parallel or a concurrency group holds them back. Nothing is rented for them until one ends.";
const ON_DEMAND = "Bids were of no use. From now on machines are rented on demand (bid-fallback).";
const tell_FEW_REQUESTS = "Fewer than 100 requests of job-token are left in this hour: the jobs are looked at more seldom.";
/** From the second attempt on `jobs` says nothing. */
function isMore(listed, { attempt, hold, jobs }) {
    return hold && attempt === 1 && jobs !== "auto" && listed > jobs;
}
function describeMore(listed, { jobs }) {
    return `jobs: ${jobs} is less than the ${listed} GPU jobs that are listed. All are served; allowed is their number, or auto.`;
}
function describeFull({ machines, repositoryAlive }, { machinesPerRepository: most }) {
    const areOurs = repositoryAlive <= machines.filter(isAlive).length;
    const whom = areOurs ? ", all of this job; waiting for one of them" : "; waiting for another run";
    return `${most} of ${most} machines of this repository are alive (machines-per-repository)${whom}.`;
}
/** The wait for its runner began when it ran: the time that it was expected to boot in is over. */
function describeLate({ createdAt, runningAt, timing }, now) {
    if (runningAt !== undefined)
        return `it runs for ${formatDuration(now - runningAt)}, and its runner is not online`;
    return `${formatDuration(now - (createdAt ?? now))}, expected ${formatDuration(timing.expectedMs)}`;
}
function describeHeld(name) {
    return `'${name}' waits for an approval or its concurrency group: nothing is rented for it. Put the environment on a small job that both need.`;
}
/** The sentence for a job that no runner of ours can take. */
function describeLabels({ name, otherLabels }) {
    return `'${name}' also asks for the labels ${otherLabels.join(", ")}, which no runner of this step has.`;
}
/** How far a machine is, in a line; undefined where other lines say it. */
function lineOf(machine) {
    const { ending, instanceId } = machine;
    if (ending !== undefined)
        return `${ending.kind}: ${ending.why}.`;
    return instanceId === undefined ? undefined : tell_LINES[stageOf(machine)](machine);
}
const tell_LINES = {
    asked: () => undefined,
    booting: ({ instanceId, verdict }) => verdict && `booting, instance ${instanceId} is ${verdict.status}.`,
    starting: (machine) => `starting, its runner is ${currentUse(machine)?.runner ?? "offline"}.`,
    ready: () => "ready, its runner is online.",
    busy: (machine) => {
        const job = currentUse(machine)?.job;
        return job === undefined ? "busy." : `busy with '${job.name}'.`;
    },
    over: () => undefined,
    gone: () => undefined,
};
/** The line for one that costs more than was agreed; undefined for any other. */
function describeDear(machine) {
    const { total } = machine.candidate.price;
    const price = priceAbove(machine, total);
    return (price && `machine ${machine.n}: the service asks ${price} per hour for it; its offer said ${formatPrice(total)}.`);
}
function jobsLine(jobs, isRented, { waitForJobMs }) {
    const count = (state) => jobs?.ours.filter((job) => job.state === state).length ?? 0;
    const seen = `GPU jobs: ${count("waiting")} waiting, ${count("running")} running, ${count("over")} over`;
    if ((jobs?.ours.length ?? 0) > 0 || isRented)
        return `${seen}.`;
    const others = `${counted(jobs?.others ?? 0, "other job")} in this run, ${jobs?.othersOpen.length ?? 0} of them open`;
    const waits = `Waiting up to ${formatDuration(waitForJobMs)}; nothing is rented.`;
    return `No job asks for the GPU runner yet (${others}). ${waitForJobMs === 0 ? "wait-for-job: 0s rents at once." : waits}`;
}

;// CONCATENATED MODULE: ./lib/fleet/run-fleet.js
var __addDisposableResource = (undefined && undefined.__addDisposableResource) || function (env, value, async) {
    if (value !== null && value !== void 0) {
        if (typeof value !== "object" && typeof value !== "function") throw new TypeError("Object expected.");
        var dispose, inner;
        if (async) {
            if (!Symbol.asyncDispose) throw new TypeError("Symbol.asyncDispose is not defined.");
            dispose = value[Symbol.asyncDispose];
        }
        if (dispose === void 0) {
            if (!Symbol.dispose) throw new TypeError("Symbol.dispose is not defined.");
            dispose = value[Symbol.dispose];
            if (async) inner = dispose;
        }
        if (typeof dispose !== "function") throw new TypeError("Object not disposable.");
        if (inner) dispose = function() { try { inner.call(this); } catch (e) { return Promise.reject(e); } };
        env.stack.push({ value: value, dispose: dispose, async: async });
    }
    else if (async) {
        env.stack.push({ async: true });
    }
    return value;
};
var __disposeResources = (undefined && undefined.__disposeResources) || (function (SuppressedError) {
    return function (env) {
        function fail(e) {
            env.error = env.hasError ? new SuppressedError(e, env.error, "An error was suppressed during disposal.") : e;
            env.hasError = true;
        }
        var r, s = 0;
        function next() {
            while (r = env.stack.pop()) {
                try {
                    if (!r.async && s === 1) return s = 0, env.stack.push(r), Promise.resolve().then(next);
                    if (r.dispose) {
                        var result = r.dispose.call(r.value);
                        if (r.async) return s |= 2, Promise.resolve(result).then(next, function(e) { fail(e); return next(); });
                    }
                    else s |= 1;
                }
                catch (e) {
                    fail(e);
                }
            }
            if (s === 1) return env.hasError ? Promise.reject(env.error) : Promise.resolve();
            if (env.hasError) throw env.error;
        }
        return next();
    };
})(typeof SuppressedError === "function" ? SuppressedError : function (error, suppressed, message) {
    var e = new Error(message);
    return e.name = "SuppressedError", e.error = error, e.suppressed = suppressed, e;
});









/** The longest pause between two looks at what is known, in milliseconds. */
const LONGEST_NAP_MS = 15_000;
/**
 * The loop: look, plan, act. Ends when the plan says so; what acts are under way then are ended,
 * and post destroys what is left.
 */
async function runFleet(deps, request, policy, fleet, onReady = () => { }) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const observer = new Observer(deps, request, fleet.instancesAt);
        const teller = new ProgressLog(deps, policy);
        const rememberer = new Rememberer(deps.history, request);
        const acts = __addDisposableResource(env_1, new Acts(deps, request, policy, fleet), true);
        for (;;) {
            const pace = paceOf(fleet, policy, deps.clock.now(), deps.requestsLeft());
            for (const n of await observer.look(fleet, pace))
                acts.writeDown(n);
            acts.settle();
            const now = deps.clock.now();
            noteTime(fleet, now);
            const decided = plan(fleet, policy, now);
            applyPlan(fleet, decided, policy, now);
            for (const { n } of decided.endings)
                acts.writeDown(n);
            teller.tell(fleet, decided, now);
            rememberer.look(fleet);
            onReady(fleet);
            if (decided.end !== undefined)
                return decided.end;
            for (const act of decided.acts)
                acts.start(act, decided);
            const next = observer.nextAt(paceOf(fleet, policy, now, deps.requestsLeft()));
            await acts.nap(Math.max(0, Math.min(next - deps.clock.now(), LONGEST_NAP_MS)));
        }
    }
    catch (e_1) {
        env_1.error = e_1;
        env_1.hasError = true;
    }
    finally {
        const result_1 = __disposeResources(env_1);
        if (result_1)
            await result_1;
    }
}
const GIVING_BACK = { destroy: destroy, "give-up": giveUp, retire: retire };
/** Acts beside the loop. What they change waits until the loop has looked. */
class Acts {
    #acting;
    #fleet;
    #changes = [];
    #underWay = new Set();
    #end = new AbortController();
    #fault;
    #wake;
    #isSearching = false;
    constructor(deps, request, policy, fleet) {
        const signal = AbortSignal.any([deps.signal, this.#end.signal]);
        this.#acting = { deps: { ...deps, signal }, request, policy, hiders: new Map() };
        this.#fleet = fleet;
    }
    /** Carries out what acts have come to. Throws what no act may survive. */
    settle() {
        for (const change of this.#changes.splice(0))
            change(this.#fleet);
        if (this.#fault !== undefined)
            throw this.#fault.error;
    }
    writeDown(n) {
        const report = this.#fleet.machines.find((machine) => machine.n === n)?.report;
        const { ledger } = this.#acting.deps;
        if (report === undefined)
            return;
        // No answer told its id, which was seen in a list.
        if (this.#fleet.strays.some((stray) => stray.n === n))
            ledger.created(n, report.instanceId);
        ledger.report(n, report);
    }
    start(act, { lacking }) {
        const emit = (change) => this.#emit(change);
        if (act.do === "search") {
            if (!this.#isSearching)
                this.#run(() => this.#search());
        }
        else if (act.do === "create") {
            this.#run(beginCreate(this.#acting, this.#fleet, act.candidate, lacking, emit));
        }
        else {
            this.#giveBack(act);
        }
    }
    /** Sleeps so long, or until an act is over. */
    async nap(milliseconds) {
        const { clock, signal } = this.#acting.deps;
        if (this.#changes.length > 0 || this.#fault !== undefined)
            return;
        const awake = new AbortController();
        this.#wake = () => awake.abort();
        await clock.sleep(milliseconds, AbortSignal.any([signal, awake.signal])).catch((error) => {
            if (!awake.signal.aborted)
                throw error;
        });
        this.#wake = undefined;
    }
    /** Ends every act and waits for it: a create must write down what came of it. */
    async [Symbol.asyncDispose]() {
        this.#end.abort(new Error("The loop is over."));
        await Promise.all(this.#underWay);
        for (const change of this.#changes.splice(0))
            change(this.#fleet);
    }
    async #search() {
        this.#isSearching = true;
        try {
            return await search(this.#acting, this.#fleet);
        }
        finally {
            this.#isSearching = false;
        }
    }
    #giveBack({ do: how, n }) {
        const machine = this.#fleet.machines.find((each) => each.n === n);
        if (machine === undefined)
            return;
        machine.act = how === "destroy" ? "destroying" : "giving-up";
        this.#run(() => GIVING_BACK[how](this.#acting, structuredClone(machine)));
    }
    #run(work) {
        const running = work()
            .then((change) => this.#emit(change))
            .catch((error) => this.#fail(error))
            .finally(() => this.#underWay.delete(running));
        this.#underWay.add(running);
    }
    #emit(change) {
        this.#changes.push(change);
        this.#wake?.();
    }
    /** The first fault ends the loop; a later one is told, unless it is that end itself. */
    #fail(error) {
        const { log, signal } = this.#acting.deps;
        const isEnding = this.#end.signal.aborted || this.#fault !== undefined;
        if (!isEnding)
            this.#fault = { error };
        else if (error !== signal.reason)
            log.warning(`While this step ended, something else failed: ${error}. What is rented is given back all the same.`);
        this.#wake?.();
    }
}

;// CONCATENATED MODULE: ./lib/create/ssh-address.js
/** The machine's own address with `ssh_direct`, where shown; else that of the service's proxy. */
function sshAddress(instance, runtype) {
    const direct = runtype === "ssh_direct" ? directAddress(instance) : undefined;
    return direct ?? { host: hostOf(instance?.ssh_host) ?? "", port: String(instance?.ssh_port ?? "") };
}
/** Ports are missing before it runs, and were seen to be missing from some answers after that. */
function directAddress(instance) {
    const host = hostOf(instance?.public_ipaddr);
    const port = instance?.ports?.["22/tcp"]?.[0]?.HostPort;
    return host && port ? { host, port: String(port) } : undefined;
}
/** Only what can be a name or an address: people copy it into a shell, and scripts use it there. */
function hostOf(text) {
    return /^[\da-z][\da-z.:-]*$/i.test(text ?? "") ? text : undefined;
}

;// CONCATENATED MODULE: ./lib/report/outputs.js



/** Every output of action.yml. A test of the repository keeps this and action.yml equal. */
function outputsOf(machine, named) {
    const { ready, receipt, runnerLabel, runtype = "ssh_proxy" } = named;
    const { offer } = machine.candidate;
    const ssh = sshAddress(machine.address, runtype);
    return {
        "instance-id": String(machine.instanceId),
        "runner-label": runnerLabel,
        "runner-name": machine.uses[0]?.runnerName ?? "",
        "offer-id": String(offer.id),
        "machine-id": String(offer.machine_id ?? ""),
        "gpu-name": offer.gpu_name,
        "num-gpus": String(offer.num_gpus),
        "dph-total": String(priceNow(machine)),
        "ssh-host": ssh.host,
        "ssh-port": ssh.port,
        "seconds-to-ready": String(named.secondsToReady),
        "instance-ids": JSON.stringify(ready.map(({ instanceId }) => instanceId)),
        "runner-names": JSON.stringify(ready.flatMap(({ uses }) => uses.map(({ runnerName }) => runnerName))),
        receipt,
    };
}
/** Sets the step's outputs, which tell of the first ready machine; after a loss, of the next. */
function writeOutputs(machine, named) {
    for (const [name, value] of Object.entries(outputsOf(machine, named)))
        setOutput(name, value);
}

;// CONCATENATED MODULE: external "node:fs"
const external_node_fs_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:fs");
;// CONCATENATED MODULE: external "node:os"
const external_node_os_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:os");
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __nccwpck_require__(6760);
;// CONCATENATED MODULE: ./lib/shared/json.js
/** Reads JSON; undefined for any other text, which is an answer like others to who asks. */
function readJson(text) {
    try {
        return JSON.parse(text);
    }
    catch {
        return undefined;
    }
}
/** True for a JSON object, and no list. */
function isRecord(value) {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

;// CONCATENATED MODULE: ./lib/vast/parse-json.js

/**
 * A string of JSON, or a bare NaN or Infinity outside of one. A string that was cut off ends with
 * the text: to look for one within it, quote by quote, would take minutes.
 */
const STRING_OR_JUNK = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|-?\b(?:NaN|Infinity)\b/gs;
/**
 * Reads an answer's body; undefined when it is not JSON. The service has sent bare NaN and
 * Infinity, which JSON does not have: they are read as null.
 */
function parseJson(text) {
    return readJson(text) ?? readJson(text.replace(STRING_OR_JUNK, (part) => (part.startsWith('"') ? part : "null")));
}

;// CONCATENATED MODULE: ./lib/report/job-costs.js

/**
 * Each job's part of its machine's cost in USD, by its time: one that was not seen to end took what
 * was left of its machine's. Equal parts where none is known.
 */
function jobCosts(report, end) {
    const { total } = actualCost(report, end);
    const { at, jobs = [] } = report;
    const seconds = jobs.map((job) => job.seconds ?? openSeconds(job, at.gone ?? end));
    const sum = seconds.reduce((all, each) => all + each, 0);
    return seconds.map((each) => total * (sum === 0 ? 1 / jobs.length : each / sum));
}
function openSeconds({ conclusion, started }, until) {
    return conclusion === undefined && started !== undefined ? Math.max(0, until - started) / 1000 : 0;
}
/** The machines that no job needed, and what they cost together in USD. */
function sparesOf(reports, end) {
    const spares = reports.filter(isSpare);
    return { machines: spares.length, total: spares.reduce((sum, report) => sum + actualCost(report, end).total, 0) };
}
/** True for one that was given up as no job needed it, as a second one for a late one is. */
function isSpare({ isUnneeded, jobs = [] }) {
    return isUnneeded === true && jobs.length === 0;
}

;// CONCATENATED MODULE: ./lib/report/receipt.js




/** The facts that main knows and post needs for the receipt. */
const contextSchema = object({
    startedAt: schemas_number(),
    runnerLabel: schemas_string(),
    maxCost: schemas_number().optional(),
    /** The credit before anything was rented, in USD. */
    credit: schemas_number().optional(),
});
/**
 * Makes the receipt; docs/costs.md lists its fields. A change of meaning takes a new version. Money
 * in USD, moments in ISO 8601. What is not known, or did not come, is null.
 */
function receiptOf({ state, now, labelPrefix, context, reports, mayStillBill }) {
    return {
        version: 1,
        state,
        written: moment(now),
        currency: "USD",
        /** The beginning of the label of every instance of this use. */
        labelPrefix,
        runnerLabel: context?.runnerLabel ?? null,
        maxCost: context?.maxCost ?? null,
        machines: reports.map((report) => machineOf(report, now)),
        actual: costOf(totalCost(reports, now)),
        /** How many machines no job needed, and their part of `actual.total`. */
        spares: sparesOf(reports, now),
        /** The step that holds, from main's start until now; billed in private repositories only. */
        holder: context === undefined ? null : holderOf(context.startedAt, now),
        /** In words, whatever could not be confirmed to be gone. */
        mayStillBill: [...mayStillBill],
    };
}
function machineOf(report, now) {
    const { instanceId, offer, price, at, traffic, estimate } = report;
    const { total, storage, inetDown, inetUp } = price;
    return {
        instanceId,
        offer: { id: offer.id, machineId: offer.machine_id ?? null, gpuName: offer.gpu_name, numGpus: offer.num_gpus },
        price: { perHour: total, storagePerHour: storage, downPerGb: inetDown ?? null, upPerGb: inetUp ?? null },
        created: at.created === undefined ? null : moment(at.created),
        gone: at.gone === undefined ? null : moment(at.gone),
        seconds: secondsOf(at),
        estimate: estimate === undefined ? null : estimateOf(estimate),
        /** Until it was gone, or until the receipt was written. */
        actual: costOf(actualCost(report, now)),
        jobs: jobsOf(report, now),
        /** No job needed it: a second one for a late one, or for a job that was cancelled. */
        spare: isSpare(report),
        trafficGb: traffic === undefined ? null : { down: traffic.downGb, up: traffic.upGb },
        /** In words; the service and others wrote parts of it. */
        lastState: report.last,
    };
}
/** In order. `usd`: a job's part of the machine's cost, by its time. */
function jobsOf(report, now) {
    const costs = jobCosts(report, now);
    return (report.jobs ?? []).map(({ name, conclusion = null, seconds = null, started }, index) => {
        const began = started === undefined ? null : moment(started);
        return { name, conclusion, started: began, seconds, usd: costs[index] ?? 0 };
    });
}
function estimateOf(estimate) {
    const { imageGb = null, runnerGb, usd = null } = estimate.bytes;
    return { ...estimate, bytes: { imageGb, runnerGb, usd } };
}
/** How long each stage took; `held`: from its runner online until it was gone. */
function secondsOf({ searched, asked, created, running, online, gone }) {
    const between = (from, to) => from === undefined || to === undefined ? null : Math.max(0, Math.round((to - from) / 1000));
    return {
        search: between(searched, asked),
        create: between(asked, created),
        boot: between(created, running),
        online: between(running, online),
        held: between(online, gone),
    };
}
/** The hosted runner's part since the step began. GitHub rounds each job up to whole minutes. */
function holderOf(startedAt, now) {
    const minutes = Math.ceil(Math.max(0, now - startedAt) / 60_000);
    return { minutes, usdPerMinute: HOLDER_USD_PER_MINUTE, usd: minutes * HOLDER_USD_PER_MINUTE };
}
function costOf({ gpu, storage, bytes, total }) {
    return { gpu, storage, bytes: bytes ?? null, total };
}
function moment(milliseconds) {
    return new Date(milliseconds).toISOString();
}

;// CONCATENATED MODULE: ./lib/report/receipt-file.js






/** Main's side: writes down what post needs for its receipt. */
function noteContext(context) {
    saveState("receipt", JSON.stringify(context));
}
/** Post's side. A receipt only tells: what can't be read is left out. */
function readContext() {
    return contextSchema.safeParse(parseJson(getState("receipt"))).data;
}
/** The path of a use's receipt, in the folder that the platform empties at the job's end. */
function receiptPath(labelPrefix) {
    const use = labelPrefix.slice(labelPrefix.lastIndexOf(".") + 1);
    return (0,external_node_path_.join)(process.env.RUNNER_TEMP || (0,external_node_os_namespaceObject.tmpdir)(), `ephemeral-gpu-runner-${use}.json`);
}
/** Writes the receipt and returns its path; empty when it can't be written, which is only told. */
function writeReceipt(log, facts) {
    const path = receiptPath(facts.labelPrefix);
    try {
        // Whole or not at all: another process may be reading it.
        (0,external_node_fs_namespaceObject.writeFileSync)(`${path}.new`, `${JSON.stringify(receiptOf(facts), null, 2)}\n`, { mode: 0o644 });
        (0,external_node_fs_namespaceObject.renameSync)(`${path}.new`, path);
        return path;
    }
    catch (error) {
        log.warning(`The receipt could not be written: ${error instanceof Error ? error.message : error}`);
        return "";
    }
}

;// CONCATENATED MODULE: ./lib/report/tell-kept.js






/** Tells once of each machine kept by `keep-failed`: how to log in, until when, at what cost. */
class KeptTeller {
    #told = new Set();
    look({ machines }, policy, runtype, log) {
        if (policy.keepFailedMs === 0)
            return;
        for (const machine of machines) {
            const until = destroyAt(machine, policy);
            if (this.#told.has(machine.n) || !isAlive(machine) || !Number.isFinite(until))
                continue;
            const failed = machine.uses.find(({ job }) => job?.hasFailed)?.job;
            if (failed === undefined)
                continue;
            this.#told.add(machine.n);
            log.warning(keptSentence(machine, failed.name, until, runtype));
        }
    }
}
function keptSentence(machine, job, until, runtype) {
    const { address, instanceId, n } = machine;
    const { host, port } = sshAddress(address, runtype);
    const login = host === ""
        ? `The service shows no address of instance ${instanceId}; its console does`
        : `ssh -p ${oneLine(port, 10)} root@${oneLine(host, 100)} (the account's SSH keys are on it)`;
    return (`Machine ${n} is kept for a look, as '${oneLine(job, 100)}' failed on it: ${login}. ` +
        `It costs ${formatPrice(priceNow(machine) / 60)} a minute, until ${new Date(until).toISOString()} or until /opt/ghr/done exists on it.`);
}

;// CONCATENATED MODULE: ./lib/report/announce.js






/**
 * Tells of machines that are ready (receipt, outputs, the line that people look for), and of those
 * that are kept after a job failed.
 */
class Announcer {
    #opened;
    #told = new Set();
    #kept = new KeptTeller();
    constructor(opened) {
        this.#opened = opened;
    }
    look(fleet) {
        const ready = fleet.machines.filter(wasReady).filter(({ report }) => report !== undefined);
        const fresh = ready.filter(({ n }) => !this.#told.has(n));
        for (const machine of fresh)
            this.#tell(machine, fleet);
        if (fresh.length > 0)
            this.#write(fleet, ready);
        const { inputs, policy, rooms } = this.#opened;
        this.#kept.look(fleet, policy, inputs.runtype, rooms.log);
    }
    #tell(machine, { startedAt, firstWantedAt = startedAt }) {
        this.#told.add(machine.n);
        const { log } = this.#opened.rooms;
        const { candidate, cutBy, deadline, instanceId, n } = machine;
        const latest = new Date(deadline).toISOString();
        const cut = cutBy === "max-cost" ? ", because of max-cost" : "";
        const seconds = secondsToReady(machine, firstWantedAt);
        log.info(`machine ${n}: ready after ${seconds} s: instance ${instanceId}, ${candidate.offer.num_gpus} × ${candidate.offer.gpu_name}. ` +
            `It costs ${formatPrice(priceNow(machine))} per hour and gives itself back at ${latest} at the latest${cut}.`);
    }
    #write(fleet, ready) {
        const { context, inputs, rooms, run, use } = this.#opened;
        const reports = fleet.machines.flatMap(({ report }) => (report === undefined ? [] : [report]));
        const facts = { state: "ready", now: rooms.clock.now(), labelPrefix: use.prefix, context };
        const receipt = writeReceipt(rooms.log, { ...facts, reports, mayStillBill: [] });
        // The first that is ready; after a loss, the one that took its place.
        const main = ready.find((machine) => isAlive(machine) && machine.ending === undefined) ?? ready.at(-1);
        if (main === undefined)
            return;
        writeOutputs(main, {
            runnerLabel: run.runnerLabel,
            receipt,
            runtype: inputs.runtype,
            secondsToReady: secondsToReady(main, fleet.firstWantedAt ?? fleet.startedAt),
            ready,
        });
    }
}
function secondsToReady({ readyAt = 0 }, since) {
    return Math.max(0, Math.round((readyAt - since) / 1000));
}

;// CONCATENATED MODULE: ./lib/shared/table.js
/** Its lines in Markdown. What others wrote in a cell must be made harmless before. */
function markdownTable([titles = [], ...rows]) {
    const line = (cells) => `| ${cells.join(" | ")} |`;
    return [line(titles), `|${"---|".repeat(titles.length)}`, ...rows.map(line)];
}
/** Its lines as plain text, aligned. */
function textTable(table) {
    const widths = (table[0] ?? []).map((_title, index) => Math.max(...table.map((row) => row[index]?.length ?? 0)));
    return table.map((row) => row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join("  ")
        .trimEnd());
}

;// CONCATENATED MODULE: ./lib/report/machine-table.js





const COLUMNS = [
    ["#", ({ n }) => String(n)],
    ["machine", ({ report }) => String(report.offer.machine_id ?? "unknown")],
    ["offer", ({ report }) => String(report.offer.id)],
    ["instance", ({ report }) => String(report.instanceId)],
    ["GPU", ({ report }) => gpuOf(report)],
    ["price per hour", ({ report }) => formatPrice(report.price.total)],
    ["got to", ({ report }) => machine_table_stageOf(report)],
    ["rented for", rentedFor],
    ["cost", ({ report, end }) => formatPrice(actualCost(report, end).total)],
    ["jobs", machine_table_jobsOf],
    // The last one: it may be long, and nothing stands behind it.
    ["why it ended", ({ report }) => oneLine(report.last, 120)],
];
/** The machines with their fates and jobs. Foreign text is one line, not harmless in Markdown. */
function machineTable(machines, end) {
    const rows = machines.map((machine) => COLUMNS.map(([, cell]) => cell({ ...machine, end })));
    return [COLUMNS.map(([title]) => title), ...rows];
}
/** Such as `1 × RTX 4090`. */
function gpuOf({ offer }) {
    return `${offer.num_gpus} × ${oneLine(offer.gpu_name, 60)}`;
}
function machine_table_stageOf({ at, last }) {
    if (at.online !== undefined || last === "ready")
        return "ready";
    return at.running === undefined ? "created" : "running";
}
function rentedFor({ report: { at }, end }) {
    return at.created === undefined ? "–" : formatDuration((at.gone ?? end) - at.created);
}
/** Such as `test (3.12): success, 5m, 0.25 USD`; a spare is one that no job needed. */
function machine_table_jobsOf({ report, end }) {
    const { isUnneeded, jobs = [] } = report;
    const costs = jobCosts(report, end);
    const shown = jobs.map(({ conclusion = "not seen to end", name, seconds }, index) => {
        const time = seconds === undefined ? [] : [formatDuration(seconds * 1000)];
        return `${oneLine(name, 100)}: ${[conclusion, ...time, formatPrice(costs[index] ?? 0)].join(", ")}`;
    });
    return shown.join("; ") || (isUnneeded ? "spare" : "–");
}

;// CONCATENATED MODULE: ./lib/report/attempts-log.js


/** Tells each machine's fate at the end of this scope, if several were rented or one failed. */
function tellMachinesAtEnd({ log, clock }, fleet) {
    return {
        [Symbol.dispose]() {
            const attempts = fleet.machines.flatMap(({ n, report }) => (report === undefined ? [] : [{ n, report }]));
            const taken = fleet.taken.length;
            if (attempts.length < 2 && !attempts.some(hasFailed))
                return;
            for (const line of attemptLines(attempts, taken, clock.now()))
                log.info(line);
        },
    };
}
/** These are on their way, or did what they were rented for. */
const NOT_FAILED = ["created", "ready", "gave itself back"];
function hasFailed({ report }) {
    return !NOT_FAILED.includes(report.last);
}
/** The machines as an aligned table of plain text; `end` in milliseconds since the epoch. */
function attemptLines(machines, taken, end) {
    const lines = textTable(machineTable(machines, end));
    return ["The machines of this use:", ...lines.map((line) => `  ${line}`), ...takenLine(taken)];
}
/** How many offers were gone, in a line, if any. */
function takenLine(taken) {
    if (taken === 0)
        return [];
    return [
        taken === 1 ? "1 offer was gone when it was asked for." : `${taken} offers were gone when they were asked for.`,
    ];
}

;// CONCATENATED MODULE: external "node:timers/promises"
const promises_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:timers/promises");
;// CONCATENATED MODULE: ./lib/shared/clock.js

/** The clock of the machine that this process runs on. */
const systemClock = {
    now: () => Date.now(),
    async sleep(milliseconds, signal) {
        signal?.throwIfAborted();
        try {
            await (0,promises_namespaceObject.setTimeout)(Math.max(0, milliseconds), undefined, signal ? { signal } : {});
        }
        catch (error) {
            signal?.throwIfAborted();
            throw error;
        }
    },
};

;// CONCATENATED MODULE: ./lib/action/actions-log.js


/** The log of the job. No foreign text in it can become a workflow command. */
const actionsLog = {
    info: (line) => info(withoutCommands(line)),
    warning: (line) => warning(withoutCommands(line)),
    async stage(title, work) {
        startGroup(withoutCommands(title));
        try {
            return await work();
        }
        finally {
            endGroup();
        }
    },
};

;// CONCATENATED MODULE: ./lib/github/github-errors.js

/**
 * The token may not do this: 401, 403, or 404, as GitHub hides what a token may not see. Or there
 * is none, and GitHub was not asked.
 */
class GithubTokenError extends UserError {
    name = "GithubTokenError";
    /** Undefined: there is no token. */
    status;
    constructor(need, status, sentence) {
        const why = status === undefined ? `: ${sentence}.` : ` (GitHub answered ${status}: ${sentence}).`;
        super(`${need.input} may not ${need.task}${why}`, { hint: need.remedy });
        this.status = status;
    }
}
/** GitHub refused for a reason of its own: a rule of the organisation, a name, a group. */
class GithubRefusedError extends UserError {
    name = "GithubRefusedError";
    constructor(task, status, sentence) {
        super(`GitHub refused to ${task} (${status}: ${sentence}).`, {
            hint: "If the organisation forbids self-hosted runners for this repository, an organisation owner has to allow them.",
        });
    }
}
/** No answer, 5xx or a rate limit: no evidence on runners or jobs. */
class GithubUnavailableError extends UserError {
    name = "GithubUnavailableError";
    constructor(task, reason, cause) {
        super(`GitHub could not be asked to ${task} (${reason}).`, {
            cause,
            isPassing: true,
            hint: "Look at githubstatus.com, and run the job again.",
        });
    }
}

;// CONCATENATED MODULE: ./lib/github/rate-limit.js
/** GitHub's clock may not be ours: what still holds after this is told again. */
const LONGEST_QUIET_MS = 60_000;
/** GitHub tells a rate limit by 429, or by 403 with a header or a sentence. */
function isRateLimit(status, headers, sentence) {
    if (status === 429)
        return true;
    return (status === 403 &&
        (String(headers["x-ratelimit-remaining"]) === "0" ||
            headers["retry-after"] !== undefined ||
            /rate limit/i.test(sentence)));
}
/** Keeps requests back for as long as GitHub asks: who goes on asking is kept out for longer. */
class RateLimitQuiet {
    #until = 0;
    /** Takes in the refusal of a request for its rate limit. */
    note(headers, now) {
        const resetMs = Number(headers["x-ratelimit-reset"] ?? Number.NaN) * 1000 - Date.parse(String(headers.date));
        const isUsedUp = String(headers["x-ratelimit-remaining"]) === "0";
        const asked = [Number(headers["retry-after"]) * 1000, isUsedUp ? resetMs : 0].find((ms) => ms > 0) ?? 0;
        this.#until = now + Math.min(LONGEST_QUIET_MS, asked);
    }
    /** How much longer to send nothing, in milliseconds. */
    leftMs(now) {
        const left = this.#until - now;
        // More than the longest: the clock was set back meanwhile.
        return left > LONGEST_QUIET_MS ? 0 : Math.max(0, left);
    }
}

;// CONCATENATED MODULE: ./lib/github/github-client.js



const API_VERSION = "2022-11-28";
const ANSWER_TIMEOUT_MS = 20_000;
const A_PAGE = "a page came, as of a gateway or a guest network, and no answer of GitHub's";
const github_client_SILENT = { debug() { }, info() { }, warn() { }, error() { } };
/** Sends requests and sorts refusals: the token's fault, the request's fault, or no evidence. */
class GithubClient {
    clock;
    repository;
    owner;
    #options;
    #quiet = new RateLimitQuiet();
    #remaining;
    #octokit;
    constructor(options) {
        this.#options = options;
        this.clock = options.clock;
        this.owner = options.owner;
        this.repository = `${options.owner}/${options.repo}`;
    }
    /**
     * Requests that the token has left in this hour, as its last answer told; undefined before the
     * first one, or where GitHub does not limit.
     */
    get requestsLeft() {
        return this.#remaining;
    }
    /**
     * Sends once; owner and repo are filled in. Not while GitHub wants to be left alone after a rate
     * limit: that is a GithubUnavailableError, too.
     */
    async request(call) {
        const { owner, repo, token } = this.#options;
        // Post may have none: octokit would throw what looks like a bug.
        if (token === "")
            throw new GithubTokenError(call.need, undefined, "it is empty, or can't be a token");
        this.#keepQuiet(call.need.task);
        // Before the time for an answer begins: on a busy machine loading takes a while.
        const octokit = await this.#connect();
        const timeLeftMs = (this.#options.until ?? Number.POSITIVE_INFINITY) - this.clock.now();
        const timeout = AbortSignal.timeout(Math.max(0, Math.min(ANSWER_TIMEOUT_MS, timeLeftMs)));
        const signal = call.signal ? AbortSignal.any([call.signal, timeout]) : timeout;
        try {
            const headers = { "x-github-api-version": API_VERSION, ...call.headers };
            const answer = await octokit.request(call.route, {
                owner,
                // An organisation's routes name no repository; what a route does not name would be sent as
                // a parameter.
                ...(call.route.includes("{repo}") ? { repo } : {}),
                ...call.parameters,
                headers,
                request: { signal, log: github_client_SILENT },
            });
            this.#note(answer.headers);
            if (answer.data !== "" && isPage(answer.data))
                throw new Error(A_PAGE);
            return { status: answer.status, data: answer.data, headers: answer.headers };
        }
        catch (error) {
            call.signal?.throwIfAborted();
            if (github_client_isRefusal(error))
                this.#noteRefusal(error);
            return judgeFailure(call, error);
        }
    }
    #keepQuiet(task) {
        const seconds = Math.ceil(this.#quiet.leftMs(this.clock.now()) / 1000);
        if (seconds > 0)
            throw new GithubUnavailableError(task, `its rate limit: GitHub wants to be asked again in ${seconds} s`);
    }
    #noteRefusal({ status, message, response: { headers = {} } = {} }) {
        this.#note(headers);
        if (isRateLimit(status, headers, message))
            this.#quiet.note(headers, this.clock.now());
    }
    #note(headers) {
        const left = Number(headers["x-ratelimit-remaining"] ?? Number.NaN);
        if (Number.isFinite(left))
            this.#remaining = left;
    }
    async #connect() {
        // Loaded when first needed: half of the bundle is octokit, and post's first DELETE must not
        // wait for it.
        const github = await Promise.all(/* import() */[__nccwpck_require__.e(752), __nccwpck_require__.e(413)]).then(__nccwpck_require__.bind(__nccwpck_require__, 2413));
        const { token, apiUrl } = this.#options;
        this.#octokit ??= github.getOctokit(token, { baseUrl: apiUrl.replace(/\/+$/, ""), log: github_client_SILENT });
        return this.#octokit;
    }
}
function judgeFailure(call, error) {
    if (!github_client_isRefusal(error) || error.response === undefined) {
        throw new GithubUnavailableError(call.need.task, oneLine(error instanceof Error ? error.message : String(error)), error);
    }
    const { status, response } = error;
    const headers = response.headers ?? {};
    const isExpected = call.expected?.includes(status) === true;
    if (isExpected && status >= 400 && isPage(response.data))
        throw new GithubUnavailableError(call.need.task, A_PAGE);
    if (isExpected)
        return { status, data: response.data, headers };
    throw github_client_refusalError(call.need, status, headers, oneLine(messageOf(response.data) ?? error.message));
}
function github_client_refusalError(need, status, headers, sentence) {
    if (status >= 500 || isRateLimit(status, headers, sentence)) {
        return new GithubUnavailableError(need.task, `${status}: ${sentence}`);
    }
    if (status === 401 || status === 403 || status === 404)
        return new GithubTokenError(need, status, sentence);
    return new GithubRefusedError(need.task, status, sentence);
}
function github_client_isRefusal(error) {
    return error instanceof Error && typeof error.status === "number";
}
/** True for what is no JSON: no evidence of anything, whatever its status. */
function isPage(data) {
    return typeof data !== "object" || data instanceof ArrayBuffer;
}
function messageOf(data) {
    const message = data?.message;
    return typeof message === "string" ? message : undefined;
}

;// CONCATENATED MODULE: ./lib/github/answer.js


/** The data of an answer; one of another form is no evidence: throws GithubUnavailableError. */
function readAnswer(schema, { data }, task) {
    const read = schema.safeParse(data);
    if (!read.success)
        throw new GithubUnavailableError(task, "the answer could not be read");
    return read.data;
}
/** A field that GitHub leaves out, or fills with null, where there is nothing to tell. */
function answer_optional(type) {
    return type.nullish().transform((value) => value ?? undefined);
}
/** A moment in milliseconds since the epoch; undefined where it is not told. */
const answer_moment = schemas_string()
    .nullish()
    .transform((text) => Date.parse(text ?? "") || undefined);

;// CONCATENATED MODULE: ./lib/github/insist.js

const PAUSES_MS = [2000, 5000, 10_000];
/**
 * Asks again after 2, 5 and 10 seconds, not after `until`, while GitHub gives no answer, or one
 * that is none.
 */
async function insist(ask, clock, { signal, until = Number.POSITIVE_INFINITY } = {}) {
    for (const pause of PAUSES_MS) {
        try {
            return await ask();
        }
        catch (error) {
            if (!(error instanceof GithubUnavailableError) || clock.now() + pause >= until)
                throw error;
            await clock.sleep(pause, signal);
        }
    }
    return await ask();
}

;// CONCATENATED MODULE: ./lib/github/repository.js



const NEED = {
    input: "job-token",
    task: "read this repository",
    remedy: "Leave job-token at its default, the workflow's own GITHUB_TOKEN.",
};
/** The repository's numeric id, for platforms that do not set `GITHUB_REPOSITORY_ID`. */
function repositoryId(client, signal) {
    return insist(() => askForId(client, signal), client.clock, { signal });
}
async function askForId(client, signal) {
    const answer = await client.request({ need: NEED, route: "GET /repos/{owner}/{repo}", signal });
    return readAnswer(looseObject({ id: schemas_number().int() }), answer, NEED.task).id;
}
/** The last commit of a branch; undefined: none. Throws GithubTokenError or GithubUnavailableError. */
async function branchHead(client, branch, signal) {
    const task = "see the last commit of a branch";
    const remedy = "With rerun-lost: true, give the job that sweeps `permissions: { actions: write, checks: read, contents: read }`.";
    const answer = await client.request({
        need: { input: "job-token", task, remedy },
        route: "GET /repos/{owner}/{repo}/git/ref/heads/{branch}",
        parameters: { branch },
        expected: [404],
        signal,
    });
    if (answer.status === 404)
        return undefined;
    return readAnswer(looseObject({ object: looseObject({ sha: schemas_string() }) }), answer, task).object.sha;
}

;// CONCATENATED MODULE: ./lib/github/run-attempts.js


const run_attempts_NEED = {
    input: "job-token",
    task: "read the runs of this repository",
    remedy: "Give the job that runs this step `permissions: { actions: read }`, or `actions: write`, which includes it.",
};
const attemptSchema = looseObject({ status: schemas_string(), updated_at: schemas_string() });
/** Run attempts of one repository, any of its runs. */
class RunAttempts {
    #client;
    constructor(client) {
        this.#client = client;
    }
    /**
     * One attempt of a run; undefined when GitHub knows none (or hides it from this token, which
     * looks the same). Throws GithubTokenError or GithubUnavailableError.
     */
    async get(runId, attempt, signal) {
        const answer = await this.#client.request({
            need: run_attempts_NEED,
            route: "GET /repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}",
            parameters: { run_id: runId, attempt_number: attempt, exclude_pull_requests: true },
            expected: [404],
            signal,
        });
        if (answer.status === 404)
            return undefined;
        const { status, updated_at } = readAnswer(attemptSchema, answer, run_attempts_NEED.task);
        return { isCompleted: status === "completed", unchangedForMs: ageOf(updated_at, answer) };
    }
}
/** By the answer's own Date, so that a clock of ours that is wrong makes nothing look old. */
function ageOf(updatedAt, { headers }) {
    const age = Date.parse(String(headers.date)) - Date.parse(updatedAt);
    return Number.isFinite(age) ? Math.max(0, age) : 0;
}

;// CONCATENATED MODULE: ./lib/github/run-cancel.js
const run_cancel_NEED = {
    input: "job-token",
    task: "cancel a run",
    remedy: "Give the job that runs this step `permissions: { actions: write }`.",
};
/** Ends runs of one repository. GitHub does so later: look at the run to see that it ended. */
class RunCancel {
    #client;
    constructor(client) {
        this.#client = client;
    }
    /**
     * Asks a run to end, clean-up included; `over`: it was completed. Throws GithubTokenError,
     * GithubUnavailableError or GithubRefusedError.
     */
    cancel(runId, signal) {
        return this.#ask("POST /repos/{owner}/{repo}/actions/runs/{run_id}/cancel", runId, signal);
    }
    /** The same without post steps and `always()`. Only for a run that a cancel did not end. */
    forceCancel(runId, signal) {
        return this.#ask("POST /repos/{owner}/{repo}/actions/runs/{run_id}/force-cancel", runId, signal);
    }
    async #ask(route, runId, signal) {
        const parameters = { run_id: runId };
        const answer = await this.#client.request({ need: run_cancel_NEED, route, parameters, expected: [409], signal });
        return answer.status === 409 ? "over" : "asked";
    }
}

;// CONCATENATED MODULE: ./lib/github/conditional-reads.js
/** Reads that ask only for changes: GitHub doesn't count a 304 against the rate limit. */
class ConditionalReads {
    #client;
    #known = new Map();
    constructor(client) {
        this.#client = client;
    }
    /** The answer to a GET, the remembered one on a 304. `key` tells one read from another. */
    async read(key, call) {
        const known = this.#known.get(key);
        const answer = await this.#client.request({
            ...call,
            headers: known ? { "if-none-match": known.etag } : {},
            expected: [304, ...(call.expected ?? [])],
        });
        if (answer.status === 304 && known)
            return known.answer;
        const { etag } = answer.headers;
        if (answer.status === 200 && typeof etag === "string")
            this.#known.set(key, { etag, answer });
        else
            this.#known.delete(key);
        return answer;
    }
}

;// CONCATENATED MODULE: ./lib/github/job.js


const jobSchema = looseObject({
    id: schemas_number(),
    name: schemas_string(),
    status: schemas_string(),
    conclusion: answer_optional(schemas_string()),
    labels: array(schemas_string()).nullish(),
    runner_id: answer_optional(schemas_number()),
    runner_name: answer_optional(schemas_string()),
    html_url: answer_optional(schemas_string()),
    created_at: answer_moment,
    started_at: answer_moment,
    completed_at: answer_moment,
})
    .transform((job) => ({
    id: job.id,
    name: job.name,
    status: job.status,
    conclusion: job.conclusion,
    /** The labels of `runs-on`; empty for a skipped job. */
    labels: job.labels ?? [],
    // Of a job that ended before a runner had it GitHub tells 0 and an empty name.
    runnerId: job.runner_id || undefined,
    runnerName: job.runner_name || undefined,
    url: job.html_url,
    /** When it was made, began to run, and was over, in milliseconds since the epoch. */
    createdAt: job.created_at,
    startedAt: job.started_at,
    completedAt: job.completed_at,
}));
/** GitHub, "List jobs for a workflow run attempt". */
const jobPageSchema = looseObject({ total_count: schemas_number(), jobs: array(jobSchema) });

;// CONCATENATED MODULE: ./lib/github/run-jobs.js




const run_jobs_NEED = {
    input: "job-token",
    task: "read the jobs of this run",
    remedy: "Give the job that rents `permissions: { actions: write }` (actions: read is enough to see the jobs), or set hold: false.",
};
const PAGE_SIZE = 100;
const run_jobs_MOST_PAGES = 10;
/** The jobs of one run attempt. Unchanged pages cost nothing: a 304. */
class RunJobs {
    #client;
    #run;
    #reads;
    constructor(client, run) {
        this.#client = client;
        this.#reads = new ConditionalReads(client);
        this.#run = run;
    }
    /** Requests that the token has left in this hour; undefined where that is not known. */
    get requestsLeft() {
        return this.#client.requestsLeft;
    }
    /** All jobs listed now: without those whose `needs` are not met, and late by seconds. */
    async list(signal) {
        // By id: one that moves to the next page between two requests is in both.
        const jobs = new Map();
        for (let page = 1; page <= run_jobs_MOST_PAGES; page += 1) {
            const listed = readAnswer(jobPageSchema, await this.#page(page, signal), run_jobs_NEED.task);
            for (const job of listed.jobs)
                jobs.set(job.id, job);
            if (listed.jobs.length < PAGE_SIZE || jobs.size >= listed.total_count)
                return [...jobs.values()];
        }
        // A part of the list must not pass as the whole: "no job of ours" would cost a machine.
        throw new GithubUnavailableError(run_jobs_NEED.task, `there are more than ${run_jobs_MOST_PAGES * PAGE_SIZE}`);
    }
    #page(page, signal) {
        return this.#reads.read(String(page), {
            need: run_jobs_NEED,
            route: "GET /repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}/jobs",
            parameters: { run_id: this.#run.runId, attempt_number: this.#run.attempt, per_page: PAGE_SIZE, page },
            signal,
        });
    }
}

;// CONCATENATED MODULE: ./lib/github/runner.js

/** GitHub, "Get a self-hosted runner". */
const runnerSchema = looseObject({
    id: schemas_number(),
    name: schemas_string(),
    status: schemas_string(),
    busy: schemas_boolean().nullish(),
    labels: array(looseObject({ name: schemas_string() })),
})
    .transform(({ id, name, status, busy, labels }) => {
    const connection = status === "online" ? "online" : "offline";
    return {
        id,
        name,
        labels: labels.map((label) => label.name),
        state: busy ? (connection === "online" ? "busy" : "cut-off") : connection,
    };
});
/** GitHub, "List self-hosted runners". */
const runnerPageSchema = looseObject({ total_count: schemas_number(), runners: array(runnerSchema) });
/** GitHub, "Create configuration for a just-in-time runner". */
const mintedSchema = looseObject({
    runner: looseObject({ id: schemas_number() }),
    encoded_jit_config: schemas_string().min(1),
});
/** GitHub, "List runner applications". */
const downloadsSchema = array(looseObject({
    os: schemas_string(),
    architecture: schemas_string(),
    download_url: schemas_string(),
    sha256_checksum: schemas_string().optional(),
}));

;// CONCATENATED MODULE: ./lib/github/runner-looks.js



const runner_looks_PAGE_SIZE = 100;
/** Looks at runners of ours, again and again, at the price of one request for all of them. */
class RunnerLooks {
    #place;
    #reads;
    /** Set when there are several pages: a runner that changes pages between requests looks gone. */
    #isLarge = false;
    constructor(client, place) {
        this.#place = place;
        this.#reads = new ConditionalReads(client);
    }
    /** Each runner's state. Throws GithubUnavailableError or GithubTokenError when one can't be told. */
    async look(ids, signal) {
        // For a single one its own answer is the better: it does not change with every other runner of
        // the place.
        const listed = ids.size > 1 && !this.#isLarge ? await this.#list(signal) : [];
        const states = new Map(listed.map(({ id, state }) => [id, state]));
        await Promise.all([...ids].filter((id) => !states.has(id)).map(async (id) => states.set(id, await this.#lookAtOne(id, signal))));
        return new Map([...ids].map((id) => [id, states.get(id) ?? "gone"]));
    }
    /** All runners of the place, or none when a page does not hold them. */
    async #list(signal) {
        const task = `list the runners of ${this.#place.name}`;
        const answer = await this.#reads.read("list", {
            need: this.#place.need(task),
            route: `GET ${this.#place.base}`,
            parameters: { per_page: runner_looks_PAGE_SIZE },
            signal,
        });
        const page = readAnswer(runnerPageSchema, answer, task);
        this.#isLarge = page.total_count > runner_looks_PAGE_SIZE;
        return this.#isLarge ? [] : page.runners;
    }
    async #lookAtOne(id, signal) {
        const answer = await this.#reads.read(String(id), {
            need: this.#place.need(`look at a runner of ${this.#place.name}`),
            route: `GET ${this.#place.base}/{runner_id}`,
            parameters: { runner_id: id },
            expected: [404],
            signal,
        });
        if (answer.status === 404) {
            // GitHub hides by the same answer what a token may no longer see, and shows late what was
            // just made: the list must say the same.
            const listed = (await this.#list(signal)).find((runner) => runner.id === id);
            return listed?.state ?? "gone";
        }
        return readAnswer(runnerSchema, answer, "look at a runner").state;
    }
}

;// CONCATENATED MODULE: ./lib/github/runner-scope.js
/** The place of a scope. */
function placeOf({ owner, repository }, { kind, groupId }) {
    const isOrg = kind === "org";
    const remedy = isOrg ? remedyOfOrg(owner) : remedyOfRepo(repository);
    return {
        base: `${isOrg ? "/orgs/{owner}" : "/repos/{owner}/{repo}"}/actions/runners`,
        name: isOrg ? `the organisation ${owner}` : repository,
        groupId,
        need: (task) => ({ input: "github-token", task, remedy }),
    };
}
function remedyOfRepo(repository) {
    return (`Grant the repository permission "Administration: write" on ${repository} to the fine-grained token or the GitHub App ` +
        "(a classic token needs the scope `repo` of a repository administrator), or use runner-scope: org. The workflow's own GITHUB_TOKEN can never do it.");
}
function remedyOfOrg(organisation) {
    return (`Grant it on ${organisation}: a fine-grained token or a GitHub App needs the organisation permission "Self-hosted runners: write", ` +
        "a classic token the scope `admin:org`. Check runner-group-id, too: GitHub hides a group that is not there behind the same answer. " +
        "runner-scope: org needs an organisation; a person's repositories have none.");
}

;// CONCATENATED MODULE: ./lib/github/runners.js






const runners_PAGE_SIZE = 100;
/** Runner registrations of one repository, or of its organisation. */
class Runners {
    #client;
    #place;
    #looks;
    constructor(client, scope = { kind: "repo", groupId: 1 }) {
        this.#client = client;
        this.#place = placeOf(client, scope);
        this.#looks = new RunnerLooks(client, this.#place);
    }
    /**
     * Registers a runner that can run one job, and returns its configuration, which is a secret. A
     * runner of that name that is left over, or that a lost answer made, is removed first.
     */
    registerRunner(name, label, signal) {
        return insist(() => this.#mintOnce(name, label, signal), this.#client.clock, { signal });
    }
    /**
     * The state of each of these runners, by one request for all of them; unchanged answers are not
     * counted by GitHub. Throws GithubUnavailableError or GithubTokenError when one can't be told: that is
     * no evidence of anything.
     */
    look(ids, signal) {
        return this.#looks.look(ids, signal);
    }
    /** Removes a registration. `removed`: nobody can use it any more; `busy`: it runs a job. */
    async remove(id, signal) {
        const answer = await this.#client.request({
            need: this.#place.need(`remove a runner from ${this.#place.name}`),
            route: `DELETE ${this.#place.base}/{runner_id}`,
            parameters: { runner_id: id },
            expected: [404, 422],
            signal,
        });
        return answer.status === 422 ? "busy" : "removed";
    }
    /** All registered runners that the test admits. */
    async find(test, signal) {
        const found = [];
        for (let page = 1, seen = 0;; page += 1) {
            const answer = await this.#client.request({
                need: this.#place.need(`list the runners of ${this.#place.name}`),
                route: `GET ${this.#place.base}`,
                parameters: { per_page: runners_PAGE_SIZE, page },
                signal,
            });
            const { runners, total_count } = readAnswer(runnerPageSchema, answer, "list runners");
            found.push(...runners.filter(test));
            seen += runners.length;
            if (runners.length < runners_PAGE_SIZE || seen >= total_count)
                return found;
        }
    }
    /** The runner program that GitHub offers to this repository now, for Linux on x64. */
    download(signal) {
        const need = this.#place.need(`register runners in ${this.#place.name}`);
        return insist(() => this.#downloadOnce(need, signal), this.#client.clock, { signal });
    }
    async #mintOnce(name, label, signal) {
        const need = this.#place.need(`register runners in ${this.#place.name}`);
        const answer = await this.#client.request({
            need,
            route: `POST ${this.#place.base}/generate-jitconfig`,
            parameters: { name, runner_group_id: this.#place.groupId, labels: [label] },
            expected: [409],
            signal,
        });
        if (answer.status !== 409) {
            // Doubt, not refusal: the registration exists, and the next try finds it by its name.
            const { encoded_jit_config: jitConfig, runner } = readAnswer(mintedSchema, answer, need.task);
            return { id: runner.id, jitConfig };
        }
        for (const stale of await this.find((runner) => runner.name === name, signal))
            await this.remove(stale.id, signal);
        throw new GithubUnavailableError(need.task, `the name ${name} was taken`);
    }
    async #downloadOnce(need, signal) {
        const answer = await this.#client.request({ need, route: `GET ${this.#place.base}/downloads`, signal });
        const list = readAnswer(downloadsSchema, answer, need.task);
        const entry = list.find((candidate) => candidate.os === "linux" && candidate.architecture === "x64");
        if (!entry?.sha256_checksum)
            throw new GithubRefusedError("find the runner program", answer.status, "no Linux x64 program with a SHA-256 is offered");
        return { url: entry.download_url, sha256: entry.sha256_checksum.toLowerCase() };
    }
}

;// CONCATENATED MODULE: ./lib/vast/pace.js
/** The service counts from arrival to arrival; a connection's first request travels longer. */
const INTERVAL_MARGIN_MS = 500;
const SHORTEST_PAUSE_MS = 1000;
const pace_LONGEST_PAUSE_MS = 30_000;
/** A pause that doubles each time, in ms: at least 1 s, at most 30 s unless `first` is more. */
function growing(first, times) {
    const start = Math.max(SHORTEST_PAUSE_MS, first);
    const pause = Math.max(start, Math.min(pace_LONGEST_PAUSE_MS, start * 2 ** (times - 1)));
    // Jitter, so that the jobs of one run don't come back in step.
    return Math.ceil(pause * (1 + Math.random() * 0.3));
}
/**
 * Keeps the service's minimum interval between calls of one operation, in the order of the calls: a
 * 429 costs more than the wait.
 */
class Pace {
    #clock;
    #lanes = new Map();
    constructor(clock) {
        this.#clock = clock;
    }
    /** Waits for its turn; when the time is over, too: the last word is the service's. */
    async turn(operation, { intervalMs, until, signal }) {
        const lane = this.#lane(operation);
        const before = lane.last;
        let end = () => { };
        lane.last = new Promise((resolve) => {
            end = resolve;
        });
        try {
            await before;
            // Again after each sleep: an answer that came meanwhile may have moved it.
            for (let wait = this.#wait(lane, until); wait >= 1; wait = this.#wait(lane, until))
                await this.#clock.sleep(wait, signal);
            lane.freeAt = this.#clock.now() + (intervalMs === 0 ? 0 : intervalMs + INTERVAL_MARGIN_MS);
        }
        finally {
            end();
        }
    }
    /** An answer came. Another 429 keeps all calls of the operation back, each time for longer. */
    note(operation, tooFast) {
        const lane = this.#lane(operation);
        lane.refusals = tooFast === undefined ? 0 : lane.refusals + 1;
        if (tooFast)
            lane.freeAt = Math.max(lane.freeAt, this.#clock.now() + growing(tooFast.waitMs, lane.refusals));
    }
    #wait({ freeAt }, until) {
        return Math.min(freeAt, until) - this.#clock.now();
    }
    #lane(operation) {
        const lane = this.#lanes.get(operation) ?? { freeAt: 0, refusals: 0, last: Promise.resolve() };
        this.#lanes.set(operation, lane);
        return lane;
    }
}

;// CONCATENATED MODULE: ./lib/vast/call.js




const PATIENCE_MS = 45_000;
/** Makes the contexts of a client's calls. */
function contextOf(options, connection) {
    const { clock, patienceMs = PATIENCE_MS } = options;
    const common = { connection, clock, patienceMs };
    return (given = {}) => ({ ...common, ...(given instanceof AbortSignal ? { signal: given } : given) });
}
/** Sends one request, brings the raw answer; for operations whose refusals carry meaning. */
function exchange(endpoint, input, connection, signals) {
    const { operation, method, intervalMs } = endpoint;
    const body = endpoint.body?.(input);
    const query = endpoint.query?.(input) ?? {};
    return connection.exchange({ operation, method, path: endpoint.path(input), query, body, intervalMs }, signals);
}
/** Calls an operation as its retry policy says, and opens its answer. */
async function call(endpoint, input, context) {
    const { clock, connection, signal } = context;
    const until = context.until ?? clock.now() + context.patienceMs;
    for (let attempt = 1;; attempt += 1) {
        try {
            return call_open(endpoint, input, await exchange(endpoint, input, connection, { before: signal, way: signal }));
        }
        catch (error) {
            const pause = endpoint.retry === "read" ? pauseAfter(error, attempt) : Number.POSITIVE_INFINITY;
            if (pause >= Math.min(until - clock.now(), connection.timeLeftMs()))
                throw error;
            await clock.sleep(pause, signal);
        }
    }
}
/** In milliseconds; infinite for what no repetition mends. */
function pauseAfter(error, attempt) {
    if (!isPassing(error))
        return Number.POSITIVE_INFINITY;
    return growing(error instanceof RateLimitError ? error.waitMs : 0, attempt);
}
function call_open(endpoint, input, answer) {
    if (answer.status < 200 || answer.status > 299 || saysNo(answer)) {
        throw refusalError(answer, { ...endpoint, route: `${endpoint.method} ${endpoint.path(input)}` });
    }
    const parsed = endpoint.answer.safeParse(answer.json);
    if (!parsed.success)
        throw new UnexpectedAnswerError(endpoint.operation, whatIsWrong(parsed.error.issues[0]));
    return parsed.data;
}
function whatIsWrong(issue) {
    const place = issue?.path.map(String).join(".");
    return place ? `${place}: ${issue?.message}` : (issue?.message ?? "unknown shape");
}

;// CONCATENATED MODULE: ./lib/shared/loopback.js
/** True for this very machine's names and addresses: no other host can read what goes there. */
function isLoopback(hostname) {
    return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

;// CONCATENATED MODULE: ./lib/shared/http-client.js

/** Loads undici before sending: on a busy machine that would eat the time for an answer. */
async function loadHttp() {
    await __nccwpck_require__.e(/* import() */ 752).then(__nccwpck_require__.t.bind(__nccwpck_require__, 6752, 19));
}
/** A way to one host. Follows no redirect: a key must not travel to another host. */
class http_client_HttpClient {
    #options;
    /** True when the host is this very machine. */
    isLocal;
    #agent;
    #isClosed = false;
    constructor(options) {
        this.#options = options;
        this.isLocal = isLoopback(options.hostname);
    }
    /**
     * Sends once. Throws when no answer comes, and the signal's reason as soon as it aborts; its body
     * throws when it breaks off or is too long.
     */
    async send(url, request) {
        // Loaded when something is first asked: it takes longer than Node itself.
        const undici = await __nccwpck_require__.e(/* import() */ 752).then(__nccwpck_require__.t.bind(__nccwpck_require__, 6752, 19));
        if (this.#isClosed)
            throw new Error("the connection is closed");
        request.signal.throwIfAborted();
        this.#agent ??= this.#openAgent(undici, url);
        return await orAborted(undici.request(url, { ...request, dispatcher: this.#agent }), request.signal);
    }
    /** Drops every open socket, so that the process can end. */
    async close() {
        this.#isClosed = true;
        await this.#agent?.destroy();
    }
    #openAgent({ Agent, EnvHttpProxyAgent }, { protocol }) {
        const { proxy = {}, mostBytes: maxResponseSize } = this.#options;
        // Over HTTP/2 undici sends by itself again what the other side refused: it must not, for a
        // create.
        const common = { maxResponseSize, allowH2: false };
        // undici would take the proxy for http in the place of one for https that is not there.
        const named = protocol === "https:" ? proxy.httpsProxy : proxy.httpProxy;
        // A key for this very machine must not pass a proxy in the clear.
        if (this.isLocal || named === undefined)
            return new Agent(common);
        // Empty, as undici would read what is missing from the environment, which may be unreadable.
        return new EnvHttpProxyAgent({ httpProxy: "", httpsProxy: "", noProxy: "", ...proxy, ...common });
    }
}
/**
 * undici heeds a signal only when it is connected, which a host or a proxy that keeps silent can
 * put off for minutes. It sends nothing after that.
 */
async function orAborted(sent, signal) {
    let onAbort = () => { };
    const aborted = new Promise((_resolve, reject) => {
        onAbort = () => reject(signal.reason);
        signal.addEventListener("abort", onAbort, { once: true });
    });
    try {
        return await Promise.race([sent, aborted]);
    }
    finally {
        signal.removeEventListener("abort", onAbort);
    }
}

;// CONCATENATED MODULE: ./lib/vast/connection.js





const connection_ANSWER_TIMEOUT_MS = 30_000;
/** The longest seen is the list of all instances without pages, with some 30 KB for each. */
const MOST_ANSWER_BYTES = 32_000_000;
/** A way to the service: sends a request, brings the answer as it came, whatever its status. */
class Connection {
    #options;
    #way;
    #pace;
    constructor(options) {
        this.#options = options;
        this.#pace = new Pace(options.clock);
        const { hostname } = new URL(options.baseUrl);
        this.#way = new http_client_HttpClient({ hostname, proxy: options.proxy, mostBytes: MOST_ANSWER_BYTES });
    }
    /** True when the service is on this very machine. */
    get isLocal() {
        return this.#way.isLocal;
    }
    /** How long there is still something to wait for, in milliseconds. */
    timeLeftMs() {
        return this.#until() - this.#options.clock.now();
    }
    #until() {
        return this.#options.until ?? Number.POSITIVE_INFINITY;
    }
    /** Sends once. Throws NoAnswerError without a whole answer, the signal's reason on an abort. */
    async exchange(outgoing, signals = {}) {
        const { operation, intervalMs } = outgoing;
        await loadHttp();
        await this.#pace.turn(operation, { intervalMs, until: this.#until(), signal: signals.before });
        signals.before?.throwIfAborted();
        signals.onSend?.();
        const timeout = AbortSignal.timeout(this.#patienceMs());
        try {
            const answer = await this.#send(outgoing, signals.way ? AbortSignal.any([signals.way, timeout]) : timeout);
            this.#pace.note(operation, tooFastWait(answer, intervalMs));
            return answer;
        }
        catch (error) {
            signals.way?.throwIfAborted();
            throw new NoAnswerError(operation, error);
        }
    }
    /**
     * Asks an address that is not the service's interface: without the key. Brings the first bytes of
     * the answer, and reads no more.
     */
    async fetchText(url, mostBytes, signal) {
        try {
            const answer = await this.#way.send(url, { method: "GET", signal });
            return { status: answer.statusCode, text: await firstBytes(answer.body, mostBytes) };
        }
        catch (error) {
            signal.throwIfAborted();
            throw new NoAnswerError(`GET ${url.host}`, error);
        }
    }
    #patienceMs() {
        return Math.max(0, Math.min(this.#options.answerTimeoutMs ?? connection_ANSWER_TIMEOUT_MS, this.timeLeftMs()));
    }
    /** Drops every open socket, so that the process can end. */
    async close() {
        await this.#way.close();
    }
    async #send(outgoing, signal) {
        const url = new URL(this.#options.baseUrl.replace(/\/+$/, "") + outgoing.path);
        for (const [name, value] of Object.entries(outgoing.query))
            url.searchParams.set(name, value);
        const headers = {
            authorization: `Bearer ${this.#options.apiKey}`,
            accept: "application/json",
        };
        if (outgoing.body !== undefined)
            headers["content-type"] = "application/json";
        const body = outgoing.body === undefined ? null : JSON.stringify(outgoing.body);
        const answer = await this.#way.send(url, { method: outgoing.method, headers, body, signal });
        const text = await answer.body.text();
        const { "retry-after": retryAfter, location } = answer.headers;
        const told = { retryAfter: retryAfter?.toString(), location: location?.toString() };
        return { status: answer.statusCode, text, json: parseJson(text), ...told };
    }
}
/** A body's beginning, in whole lines. The rest is never read: that closes the connection. */
async function firstBytes(body, most) {
    const chunks = [];
    let bytes = 0;
    for await (const chunk of body) {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > most)
            break;
    }
    const text = Buffer.concat(chunks).subarray(0, most).toString();
    // Half a line could be half a secret, which nobody would know again.
    return bytes > most && text.includes("\n") ? text.slice(0, text.lastIndexOf("\n")) : text;
}

;// CONCATENATED MODULE: ./lib/vast/schemas/user.js


/**
 * The account behind the key. `credit` in USD. `key_id`, which the specification does not show, is
 * the id of the key that asked.
 */
const userSchema = looseObject({
    id: maybeNumber,
    email: maybeString,
    credit: maybeNumber,
    ssh_key: maybeString,
    key_id: maybeNumber,
});

;// CONCATENATED MODULE: ./lib/vast/endpoints/current-user.js

/** Seed, Current user. */
const currentUser = {
    operation: "current user",
    method: "GET",
    path: () => "/api/v0/users/current/",
    answer: userSchema,
    retry: "read",
    permission: "user_read",
    intervalMs: 0,
};

;// CONCATENATED MODULE: ./lib/vast/endpoints/destroy-instance.js

/** Seed, Destroy an instance. Ends its billing; the caller must still see that it is gone. */
const destroyInstanceCall = {
    operation: "destroy an instance",
    method: "DELETE",
    path: (id) => `/api/v0/instances/${id}/`,
    answer: unknown().transform(() => true),
    retry: "destroy",
    permission: "instance_write",
    intervalMs: 3000,
};

;// CONCATENATED MODULE: ./lib/vast/schemas/api-key.js



/** A key of the account. Its secret is shown only when it is made. */
const apiKeySchema = looseObject({
    id: aNumber,
    name: maybeString,
    user_id: maybeNumber,
    permissions: unknown().optional(),
    rights: unknown().optional(),
});
/** A key that was just made, with its secret. */
const createdApiKeySchema = looseObject({
    id: aNumber,
    key: schemas_string().min(1),
    permissions: unknown().optional(),
});
const permissionObject = looseObject({ api: record(schemas_string(), unknown()) });
/**
 * The names of a key's permissions; undefined where it can't be told. SPEC-SILENT: where a row has
 * them; looked for in `permissions` and `rights`, as an object or as JSON in a text.
 */
function permissionsOf({ permissions, rights }) {
    for (const given of [permissions, rights]) {
        const read = permissionObject.safeParse(typeof given === "string" ? parseJson(given) : given);
        if (read.success)
            return Object.keys(read.data.api);
    }
    return undefined;
}

;// CONCATENATED MODULE: ./lib/vast/endpoints/get-api-key.js


/**
 * One key. Not in the specification. SPEC-SILENT: what it answers; taken to be a row of the list,
 * or the key itself as a bare text.
 */
const getApiKey = {
    operation: "show API key",
    method: "GET",
    path: (id) => `/api/v0/auth/apikeys/${id}/`,
    answer: union([schemas_string(), apiKeySchema]),
    retry: "read",
    permission: "user_read",
    intervalMs: 1000,
};

;// CONCATENATED MODULE: ./lib/vast/schemas/instance.js


/**
 * Docker's map of ports, `{"22/tcp": [{"HostPort": "50001"}]}`; the service's description calls it
 * a list of numbers, so anything may come.
 */
const ports = record(schemas_string(), array(looseObject({ HostPort: maybeNumber })).nullable())
    .optional()
    .catch(undefined);
/**
 * The instance that *create instance* makes. `actual_status` null or missing: being provisioned;
 * unknown values are kept. `start_date` in Unix seconds, `inet_…_billed` in KB since its creation.
 */
const instanceSchema = looseObject({
    id: anId,
    label: maybeString,
    actual_status: maybeString,
    intended_status: maybeString,
    cur_state: maybeString,
    next_state: maybeString,
    status_msg: maybeString,
    machine_id: maybeNumber,
    ssh_host: maybeString,
    ssh_port: maybeNumber,
    start_date: maybeNumber,
    dph_total: maybeNumber,
    is_bid: maybeBoolean,
    public_ipaddr: maybeString,
    ports,
    inet_down_billed: maybeNumber,
    inet_up_billed: maybeNumber,
});
/** The columns that lists are asked for. Never `*`: the environment has runner configurations. */
const INSTANCE_COLUMNS = Object.keys(instanceSchema.shape);

;// CONCATENATED MODULE: ./lib/vast/endpoints/get-instance.js


/** Seed, Get one instance: `{instances: <object>}`; the service says null for one that is gone. */
const getInstance = {
    operation: "get one instance",
    method: "GET",
    path: (id) => `/api/v0/instances/${id}/`,
    answer: looseObject({ instances: instanceSchema.nullable() }).transform((body) => body.instances ?? undefined),
    retry: "read",
    permission: "instance_read",
    intervalMs: 2000,
};

;// CONCATENATED MODULE: ./lib/vast/endpoints/list-instances.js



const list_instances_PAGE_SIZE = 25;
const answer = looseObject({
    // Strict about the rows, unlike offers: a list that hides an instance must not pass as whole.
    instances: array(instanceSchema),
    // So is one whose next page can't be asked for.
    next_token: schemas_string().nullish(),
    instances_found: maybeNumber,
});
function pageOf({ instances, next_token }) {
    return { instances, nextToken: next_token || undefined };
}
const common = {
    operation: "list instances",
    method: "GET",
    retry: "read",
    permission: "instance_read",
    intervalMs: 1000,
};
/** The list as the service has it today: pages of at most 25. Not in the specification. */
const listInstancesPage = {
    ...common,
    path: () => "/api/v1/instances/",
    answer: answer.transform(pageOf),
    query: ({ afterToken, label }) => ({
        limit: String(list_instances_PAGE_SIZE),
        select_cols: JSON.stringify(INSTANCE_COLUMNS),
        ...(afterToken === undefined ? {} : { after_token: afterToken }),
        ...(label === undefined ? {} : { select_filters: JSON.stringify({ label: { eq: label } }) }),
    }),
};
/**
 * Seed, List instances: all at once, and how many there are. Deprecated in the service, and the
 * only form in the specification. A list that is shorter than it says hides an instance.
 */
const listInstancesSeed = {
    ...common,
    path: () => "/api/v0/instances/",
    answer: answer
        .refine(({ instances, instances_found = 0 }) => instances_found <= instances.length, {
        path: ["instances_found"],
        error: "the list has fewer instances",
    })
        .transform(pageOf),
};

;// CONCATENATED MODULE: ./lib/vast/schemas/volume.js


/**
 * Room for a volume on a machine: `disk_space` in GB, `storage_cost` in USD per GB and month. Not
 * in the specification.
 */
const volumeOfferSchema = looseObject({
    id: aNumber,
    machine_id: maybeNumber,
    disk_space: maybeNumber,
    storage_cost: maybeNumber,
});
/** A volume; `instances`: ids of its users. The specification shows no field of it. */
const volumeSchema = looseObject({
    id: aNumber,
    machine_id: maybeNumber,
    disk_space: maybeNumber,
    status: maybeString,
    label: maybeString,
    instances: array(aNumber).optional().catch(undefined),
});

;// CONCATENATED MODULE: ./lib/vast/endpoints/list-volumes.js


/** The account's volumes. Not in the specification. */
const listVolumes = {
    operation: "list volumes",
    method: "GET",
    path: () => "/api/v0/volumes",
    query: () => ({ owner: "me", type: "all_volume" }),
    answer: looseObject({ volumes: array(volumeSchema) }).transform((body) => body.volumes),
    retry: "read",
    permission: "instance_read",
    intervalMs: 5500,
};

;// CONCATENATED MODULE: ./lib/vast/endpoints/request-logs.js

/** Has the host store a log's last lines, brings the file's address. Not in the specification. */
const requestLogs = {
    operation: "request logs",
    method: "PUT",
    path: ({ id }) => `/api/v0/instances/request_logs/${id}/`,
    body: ({ tail, log }) => ({ tail: String(tail), ...(log === "daemon" ? { daemon_logs: "true" } : {}) }),
    answer: looseObject({ result_url: schemas_string() }).transform((body) => body.result_url),
    retry: "never",
    permission: "instance_read",
    // SPEC-SILENT: no figure is known; this is that of the service's other light calls.
    intervalMs: 1000,
};

;// CONCATENATED MODULE: ./lib/vast/schemas/offer.js


/**
 * A rentable machine. The specification promises only id, num_gpus, gpu_name and dph_total; every
 * other field may be missing. Prices in USD per hour, `storage_cost` in USD per GB and month,
 * `inet_…_cost` in USD per GB, `gpu_ram` in MB, `cpu_ram` in MB of the whole machine, `compute_cap`
 * times 100, `inet_down` in Mbit/s, `disk_space` in GB, `duration` in seconds left, `hosting_type`
 * 1 in a data centre.
 */
const offerSchema = looseObject({
    id: anId,
    num_gpus: aNumber,
    gpu_name: schemas_string(),
    dph_total: anAmount,
    dph_base: maybeAmount,
    min_bid: maybeAmount,
    storage_cost: maybeAmount,
    storage_total_cost: maybeAmount,
    machine_id: maybeNumber,
    reliability: maybeNumber,
    reliability2: maybeNumber,
    verified: maybeBoolean,
    verification: maybeString,
    rentable: maybeBoolean,
    rented: maybeBoolean,
    external: maybeBoolean,
    cpu_arch: maybeString,
    disk_space: maybeNumber,
    duration: maybeNumber,
    gpu_ram: maybeNumber,
    gpu_frac: maybeNumber,
    compute_cap: maybeNumber,
    cuda_max_good: maybeNumber,
    cpu_cores: maybeNumber,
    cpu_cores_effective: maybeNumber,
    cpu_ram: maybeNumber,
    inet_down: maybeNumber,
    inet_down_cost: maybeAmount,
    inet_up_cost: maybeAmount,
    hosting_type: maybeNumber,
    score: maybeNumber,
    dlperf_per_dphtotal: maybeNumber,
    geolocation: maybeString,
});

;// CONCATENATED MODULE: ./lib/vast/endpoints/search-offers.js



/** Seed, Search offers: filters and control keys share one object. */
const searchOffers = {
    operation: "search offers",
    method: "POST",
    path: () => "/api/v0/bundles/",
    body: ({ filters, ...control }) => ({ ...filters, ...control }),
    answer: looseObject({ offers: readableRows(offerSchema) }).transform((body) => body.offers),
    retry: "read",
    permission: "misc",
    intervalMs: 0,
};

;// CONCATENATED MODULE: ./lib/vast/schemas/template.js



/** A text as it is, blanks and line ends included. */
const maybeText = schemas_string().optional().catch(undefined);
/** Filters of a search by field; seen as an object, and as JSON in a text. */
const filters = preprocess((value) => (typeof value === "string" ? parseJson(value) : value), record(schemas_string(), unknown()).optional().catch(undefined));
/**
 * A stored bundle of default settings for instances. Search results are promised only to have
 * `hash_id` and `name`; times in Unix seconds, `recommended_disk_space` in GB. The login's user and
 * password are never shown.
 */
const templateSchema = looseObject({
    id: maybeNumber,
    hash_id: schemas_string(),
    name: maybeText,
    image: maybeString,
    tag: maybeString,
    desc: maybeText,
    readme: maybeText,
    env: maybeText,
    onstart: maybeText,
    runtype: maybeString,
    args_str: maybeText,
    ssh_direct: maybeBoolean,
    use_ssh: maybeBoolean,
    jup_direct: maybeBoolean,
    jupyter_dir: maybeText,
    use_jupyter_lab: maybeBoolean,
    docker_login_repo: maybeText,
    href: maybeText,
    repo: maybeText,
    extra_filters: filters,
    recommended_disk_space: maybeNumber,
    private: maybeBoolean,
    creator_id: maybeNumber,
    created_at: maybeNumber,
    count_created: maybeNumber,
    default_tag: maybeString,
    recent_create_date: maybeNumber,
    recommended: maybeBoolean,
});
/** A template that was just made: its id is promised, too. */
const createdTemplateSchema = templateSchema.extend({ id: aNumber });
/** The fields of a template's content; with their values, an edit can name all of them. */
const CONTENT_FIELDS = (/* unused pure expression or super */ null && ([
    "name",
    "image",
    "tag",
    "desc",
    "readme",
    "env",
    "onstart",
    "runtype",
    "args_str",
    "ssh_direct",
    "use_ssh",
    "jup_direct",
    "jupyter_dir",
    "use_jupyter_lab",
    "docker_login_repo",
    "href",
    "repo",
    "extra_filters",
    "recommended_disk_space",
    "private",
    "volume_info",
]));

;// CONCATENATED MODULE: ./lib/vast/endpoints/search-templates.js



/** Seed, Search templates. */
const searchTemplates = {
    operation: "search templates",
    method: "GET",
    path: () => "/api/v0/template/",
    query: (filters) => ({ select_filters: JSON.stringify(filters) }),
    answer: looseObject({ templates: readableRows(templateSchema) }).transform((body) => body.templates),
    retry: "read",
    permission: "user_read",
    intervalMs: 3000,
};

;// CONCATENATED MODULE: ./lib/vast/endpoints/search-volumes.js



/** Room for volumes. Filters like those of a search for offers. Not in the specification. */
const searchVolumes = {
    operation: "search volumes",
    method: "POST",
    path: () => "/api/v0/volumes/search/",
    body: (filters) => filters,
    answer: looseObject({ offers: readableRows(volumeOfferSchema) }).transform((body) => body.offers),
    retry: "read",
    permission: "misc",
    intervalMs: 5500,
};

;// CONCATENATED MODULE: ./lib/vast/fetch-log-file.js



const MOST_BYTES = 65_536;
/** So often the service's own client looks. */
const fetch_log_file_PAUSE_MS = 300;
/**
 * Looks at the address until the file is there, and brings its first 64 KB. Sends no key, follows
 * no redirect. Throws UnexpectedAnswerError for an address that is not https (or not on this
 * machine, when the service is), NoAnswerError when time is over.
 */
async function fetchLogFile(address, { connection, clock, until, signal }) {
    const url = safeAddress(address, connection.isLocal);
    for (;;) {
        const { status, text } = await connection.fetchText(url, MOST_BYTES, signal);
        if (status === 200)
            return text;
        if (status >= 300 && status < 400)
            throw unexpected("its file is somewhere else");
        if (clock.now() + fetch_log_file_PAUSE_MS >= until) {
            throw new NoAnswerError(requestLogs.operation, new Error(`its file is not there in time, ${status}`));
        }
        await clock.sleep(fetch_log_file_PAUSE_MS, signal);
    }
}
function safeAddress(address, isLocal) {
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (url === undefined)
        throw unexpected("result_url is no address");
    // A service elsewhere must not make us ask this machine's own ports.
    const isSafe = isLoopback(url.hostname) ? isLocal : url.protocol === "https:";
    if (!isSafe || !/^https?:$/.test(url.protocol))
        throw unexpected("result_url is not an https address");
    return url;
}
function unexpected(what) {
    return new UnexpectedAnswerError(requestLogs.operation, what);
}

;// CONCATENATED MODULE: ./lib/vast/service-client.js















const LOGS_WITHIN_MS = 5000;
/**
 * The rental service, as far as it takes to rent: one method an operation; AccountClient has the
 * others. Calls of one operation keep the service's interval, in their order; what only reads is
 * sent again after a passing fault, until its limits. Every method throws a ServiceError,
 * NoAnswerError or UnexpectedAnswerError.
 */
class ServiceClient {
    #connection;
    #clock;
    #mask;
    #context;
    /** `none`: the service has only the list without pages, as it showed. */
    #pages = "unknown";
    /** Tests give a connection of their own. */
    constructor(options, connection = new Connection(options)) {
        this.#connection = connection;
        this.#clock = options.clock;
        this.#mask = options.mask ?? (() => { });
        this.#context = contextOf(options, connection);
    }
    /** Offers in the service's order. The service does not always apply every filter: check again. */
    searchOffers(query, options) {
        return call(searchOffers, query, this.#context(options));
    }
    /**
     * Rents, and brings the answer back as it came: refusals carry meaning here. Throws only
     * NoAnswerError; then, and after a 5xx or an unreadable answer, an instance may exist. A call
     * that is under way is cut by `signals.way` alone.
     */
    async createInstance(offerId, config, signals = {}) {
        const answer = await exchange(createInstance, { offerId, config }, this.#connection, signals);
        const instanceApiKey = createAnswerSchema.safeParse(answer.json).data?.instance_api_key;
        if (instanceApiKey)
            this.#mask(instanceApiKey);
        return answer;
    }
    /**
     * All instances of the account, other people's runs included; with a label only those that carry
     * it, where the service can filter. The filter saves pages: look at the labels again.
     */
    async listInstances(options, label) {
        let hasNone = this.#pages === "none";
        if (!hasNone) {
            try {
                const listed = await this.#listPages(label, options);
                this.#pages = "seen";
                return listed;
            }
            catch (error) {
                if (!(error instanceof NotFoundError))
                    throw error;
                // A gateway's 404 is no reason to stay with a list that is on its way out.
                hasNone = this.#pages === "unknown" && error.isOwnWord;
            }
        }
        const { instances } = await call(listInstancesSeed, undefined, this.#context(options));
        if (hasNone)
            this.#pages = "none";
        return instances;
    }
    /** One instance, or undefined when the service says that there is none (null, or 404 in JSON). */
    getInstance(id, options) {
        return call(getInstance, id, this.#context(options)).catch(undefinedWhenNotFound);
    }
    /**
     * Asks to destroy an instance, once: `asked`, or `absent` when the service says that there is
     * none (404 in JSON). Says nothing about its being gone already.
     */
    async destroyInstance(id, options) {
        const asked = await call(destroyInstanceCall, id, this.#context(options)).catch(undefinedWhenNotFound);
        return asked ? "asked" : "absent";
    }
    /** The account behind the key. */
    currentUser(options) {
        return call(currentUser, undefined, this.#context(options));
    }
    /** Templates for which all filters hold; without a filter all visible ones. No free text. */
    searchTemplates(filters = {}, options) {
        return call(searchTemplates, filters, this.#context(options)).catch(noneWhenNoneFound);
    }
    /** One of the account's keys, secret left out; see `permissionsOf`. Not in the specification. */
    async getApiKey(id, options) {
        const answer = await call(getApiKey, id, this.#context(options));
        if (typeof answer !== "string")
            return answer;
        // One description of the service has the bare key for an answer.
        this.#mask(answer);
        return { id, permissions: undefined, rights: undefined };
    }
    /** The account's volumes. A service of the specification's letter has none: NotFoundError. */
    listVolumes(options) {
        return call(listVolumes, undefined, this.#context(options));
    }
    /** Room for volumes that meets all filters. NotFoundError: the service of the seed has none. */
    searchVolumes(filters, options) {
        return call(searchVolumes, filters, this.#context(options));
    }
    /**
     * The last lines of an instance's log, 64 KB at the most, within 5 s. A service of the
     * specification's letter has none: NotFoundError.
     */
    async requestLogs(request, signal) {
        const limit = AbortSignal.timeout(LOGS_WITHIN_MS);
        const until = this.#clock.now() + LOGS_WITHIN_MS;
        const either = signal ? AbortSignal.any([signal, limit]) : limit;
        try {
            const address = await call(requestLogs, request, this.#context(either));
            const fetching = { connection: this.#connection, clock: this.#clock, until, signal: either };
            return await fetchLogFile(address, fetching);
        }
        catch (error) {
            signal?.throwIfAborted();
            throw limit.aborted ? new NoAnswerError(requestLogs.operation, new Error("time is over")) : error;
        }
    }
    async [Symbol.asyncDispose]() {
        await this.#connection.close();
    }
    async #listPages(label, options) {
        const found = new Map();
        const seen = new Set();
        let afterToken;
        do {
            const page = await call(listInstancesPage, { afterToken, label }, this.#context(options));
            for (const instance of page.instances)
                found.set(instance.id, instance);
            afterToken = page.nextToken;
            // Without this, a service that repeats a page would keep us here for ever; an incomplete list
            // must not pass as whole.
            if (afterToken !== undefined && seen.has(afterToken)) {
                throw new UnexpectedAnswerError(listInstancesPage.operation, "the list repeats a page");
            }
            if (afterToken !== undefined)
                seen.add(afterToken);
        } while (afterToken !== undefined);
        return [...found.values()];
    }
}
function undefinedWhenNotFound(error) {
    if (error instanceof NotFoundError && error.isOwnWord)
        return undefined;
    throw error;
}
/** Documented as a "no" in the body: `{success: false, msg: "No templates found"}`. */
function noneWhenNoneFound(error) {
    const isRefusal = error instanceof RequestRejectedError && error.status === 200;
    if (isRefusal && /no templates found/i.test(error.sentence))
        return [];
    throw error;
}

;// CONCATENATED MODULE: ./lib/action/proxy.js
/** The proxies of the environment, in either case; undefined when none can be used. */
function readProxy() {
    const httpProxy = address("http_proxy");
    const httpsProxy = address("https_proxy");
    if (httpProxy === undefined && httpsProxy === undefined)
        return undefined;
    const noProxy = variable("no_proxy");
    return { ...(httpProxy && { httpProxy }), ...(httpsProxy && { httpsProxy }), ...(noProxy && { noProxy }) };
}
/** Reads `proxy.example.com:3128` as http, as others do; an unreadable address isn't used. */
function address(name) {
    const text = variable(name);
    const withScheme = text && !text.includes("://") ? `http://${text}` : text;
    return withScheme && URL.canParse(withScheme) ? withScheme : undefined;
}
function variable(name) {
    return process.env[name] || process.env[name.toUpperCase()] || undefined;
}

;// CONCATENATED MODULE: ./lib/action/secrets.js


/** Shorter texts are never masked: the platform drops every output with a masked part in it. */
const secrets_SHORTEST = 8;
const masked = new Set();
/**
 * Makes the platform hide a secret in every log line and summary of this job from now on. In a
 * summary foreign text is written without its Markdown, and so would be a secret in it.
 */
function maskSecret(secret) {
    if (secret === undefined || secret.length < secrets_SHORTEST || masked.has(secret))
        return;
    masked.add(secret);
    core_setSecret(secret);
    const escaped = withoutMarkdown(secret, secret.length);
    if (escaped !== secret)
        core_setSecret(escaped);
}

;// CONCATENATED MODULE: ./lib/action/clients.js











/** Opens the service, asking nothing yet. `until`: no wait goes on after it, ms since the epoch. */
function openService(inputs, until) {
    const { "api-key": apiKey, "api-url": baseUrl } = inputs;
    const clock = systemClock;
    const service = new ServiceClient({ baseUrl, apiKey, clock, mask: maskSecret, until, proxy: readProxy() });
    return { service, clock, log: actionsLog, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}
/** Opens GitHub, likewise. */
function openGithub(inputs, run, until) {
    const asRegistrar = githubClient(inputs["github-token"], run, until);
    const room = openJobRoom(inputs["job-token"], run, until);
    const scope = { kind: inputs["runner-scope"], groupId: inputs["runner-group-id"] };
    return { ...room, runners: new Runners(asRegistrar, scope), jobs: new RunJobs(room.client, run) };
}
/** The part of it that needs no token but the job's own. */
function openJobRoom(token, run, until) {
    const client = githubClient(token, run, until);
    return {
        client,
        cancel: new RunCancel(client),
        attempts: new RunAttempts(client),
        repositoryId: async (signal) => run.repositoryId ?? (await repositoryId(client, signal)),
    };
}
function githubClient(token, { apiUrl, owner, repo }, until) {
    return new GithubClient({ apiUrl, owner, repo, token, until, clock: systemClock });
}

;// CONCATENATED MODULE: ./lib/action/label-in-use.js


/** A live runner already carries this use's label: a second machine would race it for the job. */
class LabelInUseError extends UserError {
    name = "LabelInUseError";
    constructor(label, runner) {
        super(`A runner with the label ${label} is registered already (${runner}).`, {
            kind: "label-in-use",
            hint: "Use the action once per run attempt, or give each use its own name. If the runner is left over, remove it under Settings, Actions, Runners.",
        });
    }
}
/**
 * Throws LabelInUseError when another use has registered a runner with our label, before ours if we
 * have one: of two that see each other the first goes on, or nobody would. Best effort: where
 * GitHub can't be asked, it is taken to be free.
 */
async function checkLabel(runners, label, signal, own) {
    try {
        const isOwnOrLater = ({ id, name }) => own !== undefined && (name.startsWith(own.names) || id > own.id);
        const [rival] = await runners.find((runner) => runner.labels.includes(label) && !isOwnOrLater(runner), signal);
        if (rival)
            throw new LabelInUseError(label, rival.name);
    }
    catch (error) {
        if (!(error instanceof GithubUnavailableError))
            throw error;
    }
}

;// CONCATENATED MODULE: ./lib/action/token-trust.js

/**
 * The worth of an answer to `github-token`. One that has registered a runner and is refused later
 * has expired (an App's lives an hour): that says nothing of runners, and is told once.
 */
class TokenTrust {
    #clock;
    #log;
    #isProven = false;
    #isTold = false;
    #refusedSince;
    constructor({ clock, log }) {
        this.#clock = clock;
        this.#log = log;
    }
    /** Start of a proven token's refusals, in ms since the epoch; undefined while it is accepted. */
    get refusedSince() {
        return this.#refusedSince;
    }
    /** Waits for what only a good token can do. A proven one's refusal is noted, and thrown. */
    async prove(answer) {
        try {
            const value = await answer;
            this.#isProven = true;
            this.#refusedSince = undefined;
            return value;
        }
        catch (error) {
            if (error instanceof GithubTokenError)
                this.#note(error);
            throw error;
        }
    }
    /** Undefined: GitHub could not be asked, or refuses a proven token. Other faults go on. */
    async orUndefined(answer) {
        try {
            const value = await answer;
            this.#refusedSince = undefined;
            return value;
        }
        catch (error) {
            if (error instanceof GithubUnavailableError || (this.#isProven && error instanceof GithubRefusedError))
                return undefined;
            if (!this.#isProven || !(error instanceof GithubTokenError))
                throw error;
            this.#note(error);
            return undefined;
        }
    }
    #note(error) {
        if (!this.#isProven)
            return;
        this.#refusedSince ??= this.#clock.now();
        if (this.#isTold)
            return;
        this.#isTold = true;
        const since = new Date(this.#refusedSince).toISOString().slice(11, 16);
        this.#log.warning(`github-token is refused since ${since} UTC, after it had registered a runner. ${error.message} From now on runners can be neither seen nor ` +
            "removed: machines go when their jobs are over, or at their deadlines. A GitHub App's token lives an hour; for longer runs use a " +
            "fine-grained token.");
    }
}

;// CONCATENATED MODULE: ./lib/action/github-ports.js




/** The jobs of this attempt; undefined when GitHub could not be asked. */
async function jobsOrUndefined(jobs, signal) {
    try {
        return await jobs.list(signal);
    }
    catch (error) {
        if (error instanceof GithubUnavailableError)
            return undefined;
        throw error;
    }
}
/** The registrations of this use: runners with that label, whose names begin with `ownNames`. */
function runnersPort(room, label, ownNames) {
    const { runners } = room;
    const trust = new TokenTrust(room);
    let isLabelOurs = false;
    return {
        async registerRunner(name, signal) {
            const minted = await trust.prove(runners.registerRunner(name, label, signal));
            maskSecret(minted.jitConfig);
            // Two uses that began at the same time saw each other nowhere before; now one of them does.
            if (!isLabelOurs)
                await checkLabel(runners, label, signal, { names: ownNames, id: minted.id });
            isLabelOurs = true;
            return minted;
        },
        look: (ids, signal) => trust.orUndefined(runners.look(ids, signal)),
        remove: async (id, signal) => (await trust.orUndefined(runners.remove(id, signal))) ?? "unknown",
        get refusedSince() {
            return trust.refusedSince;
        },
    };
}

;// CONCATENATED MODULE: ./lib/market/image-tag.js
/** The tag of an image; empty when it has none. */
function tagOf(image) {
    return /:([^/@]+)(?:@|$)/.exec(image)?.[1] ?? "";
}
function image_tag_nameOf(image) {
    return image.replace(/@.*$/, "").replace(/:[^/]*$/, "");
}
/** `cuda12.8`, `cuda-12.4.1`, `cu12.4`: major and minor with a dot. */
const WITH_DOT = /(?:^|[^a-z])cu(?:da)?[-_]?(\d{1,2})\.(\d)/i;
/** `cu124`, `cu92`, `cuda12`, `cu1281` for 12.8.1: digits alone. */
const DIGITS = /(?:^|[^a-z])cu(?:da)?[-_]?(\d{2,3}|1\d{3})(?!\d)/i;
/** `12.4.1-…`: the version of what the image is named after; counts only where that is CUDA. */
const LEADING = /^(\d|1\d)\.(\d)/;
/** `nvidia/cuda`, and not an image that is about CUDA, whose versions are its own. */
const NAMED_CUDA = /(?:^|\/)cuda(?:gl)?$/i;
/** The CUDA version that an image's tag names, such as 12.8; undefined when it names none. */
function cudaOfImage(image) {
    const tag = tagOf(image);
    const dotted = WITH_DOT.exec(tag) ?? (NAMED_CUDA.test(image_tag_nameOf(image)) ? LEADING.exec(tag) : null);
    if (dotted)
        return Number(`${dotted[1]}.${dotted[2]}`);
    const digits = DIGITS.exec(tag)?.[1];
    return digits === undefined ? undefined : ofDigits(digits);
}
/** 124 is 12.4, 1241 too, and 92 is 9.2, but 12 is 12.0. */
function ofDigits(digits) {
    if (digits.length === 4)
        return ofDigits(digits.slice(0, 3));
    const isMajor = digits.length === 2 && Number(digits) < 20;
    return isMajor ? Number(digits) : Number(`${digits.slice(0, -1)}.${digits.slice(-1)}`);
}
/** True when name or tag say Alpine: its C library is musl, and GitHub's runner needs glibc. */
function isAlpineImage(image) {
    return /(?:^|\/)alpine$/i.test(image_tag_nameOf(image)) || /(?:^|[^a-z])alpine(?:[^a-z]|$)/i.test(tagOf(image));
}
/** True when the tag says devel: compilers and headers make such images several times as big. */
function isDevelImage(image) {
    return /(?:^|[-_.])devel(?:[-_.]|$)/i.test(tagOf(image));
}

;// CONCATENATED MODULE: ./lib/action/cross-checks.js

const CHECKS = [
    {
        // GitHub would answer that the token may not, or that there is no such group.
        name: "runner-group-id",
        broken: (inputs) => inputs["runner-scope"] === "repo" && cross_checks_isMore(inputs["runner-group-id"], 1),
        wrong: "is a group of an organisation's runners, allowed is none without runner-scope: org",
    },
    {
        name: "bid-price",
        broken: (inputs) => inputs["bid-price"] !== undefined && inputs.pricing === "on-demand",
        wrong: "is for interruptible machines only, allowed is none without pricing: bid",
    },
    {
        name: "bid-price",
        broken: (inputs) => cross_checks_isMore(inputs["bid-price"], inputs["max-price"]),
        wrong: "is more than max-price, allowed is at most what max-price leaves beside the storage",
    },
    {
        name: "bid-fallback",
        broken: (inputs) => inputs["bid-fallback"] === true && inputs.pricing === "on-demand",
        wrong: "has nothing to fall back from, allowed is false without pricing: bid",
    },
    {
        name: "volume-mount-path",
        broken: (inputs) => inputs["volume-id"] !== undefined && inputs["volume-mount-path"] === "",
        wrong: "is missing, allowed is the absolute path where volume-id is to appear",
    },
    ...["volume-mount-path", "volume-size"].map((name) => ({
        name,
        broken: (inputs) => Boolean(inputs[name]) && isNone(inputs, "volume-id"),
        wrong: "says something of a volume, allowed is none without volume-id",
    })),
    {
        name: "volume-create-new",
        broken: (inputs) => inputs["volume-create-new"] === true && isNone(inputs, "volume-id"),
        wrong: "needs a volume offer, allowed is true only with volume-id",
    },
    {
        name: "volume-size",
        broken: (inputs) => inputs["volume-create-new"] === true && isNone(inputs, "volume-size"),
        wrong: "is missing, allowed is the size of the new volume in GB",
    },
    {
        name: "volume-size",
        broken: (inputs) => inputs["volume-create-new"] === false && inputs["volume-size"] !== undefined && inputs["volume-id"] !== undefined,
        wrong: "can't change a volume that exists, allowed is none without volume-create-new: true",
    },
    {
        // Each failed machine would leave a volume behind, which bills on without it.
        name: "attempts",
        broken: (inputs) => inputs["volume-create-new"] === true && cross_checks_isMore(inputs.attempts, 1),
        wrong: "would leave a volume behind with each machine that fails, allowed is 1 with volume-create-new: true",
    },
    {
        name: "machines",
        broken: (inputs) => inputs["volume-id"] !== undefined && inputs.machines !== "auto" && cross_checks_isMore(inputs.machines, 1),
        wrong: "is more than can have the volume, which is on one machine, allowed is auto or 1 with volume-id",
    },
    {
        name: "keep-failed",
        broken: (inputs) => cross_checks_isMore(inputs["keep-failed"], inputs["max-lifetime"]),
        wrong: "is more than max-lifetime, after which the machine ends itself, allowed is a duration up to max-lifetime",
    },
    {
        name: "template-name",
        broken: (inputs) => Boolean(inputs["template-name"]) && Boolean(inputs["template-hash-id"]),
        wrong: "stands beside template-hash-id, allowed is one of template-name and template-hash-id",
    },
    {
        name: "image",
        broken: (inputs) => IMAGE_INPUTS.every((name) => inputs[name] === ""),
        wrong: "is missing, allowed is a container image, such as pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime, or a template (template-name or template-hash-id) that brings one",
    },
    {
        name: "image",
        broken: ({ image }) => image !== undefined && isAlpineImage(image),
        wrong: "is built on Alpine, on which the runner program does not start, allowed is an image with glibc",
    },
];
const IMAGE_INPUTS = ["image", "template-hash-id", "template-name"];
/** The faults of inputs that are right one by one and wrong together. */
function crossFaults(inputs) {
    return CHECKS.filter(({ broken }) => broken(inputs)).map(({ name, wrong }) => ({ name, wrong }));
}
/** True when it was left out, and not only wrong. */
function isNone(inputs, name) {
    return Object.hasOwn(inputs, name) && inputs[name] === undefined;
}
function cross_checks_isMore(value, most) {
    return value !== undefined && most !== undefined && value > most;
}

;// CONCATENATED MODULE: ./lib/action/input-errors.js

/** The workflow file: every input that is wrong, one a line. */
class InputError extends UserError {
    name = "InputError";
    constructor(faults, consequence) {
        const names = [...new Set(faults.map(({ name }) => name))];
        const count = names.length === 1 ? "One input is wrong" : `${names.length} inputs are wrong`;
        const lines = faults.map(({ line }) => `- ${line}`).join("\n");
        super(`${count}: ${names.join(", ")}. ${consequence}\n${lines}`, {
            hint: "Correct the `with:` block of the step, or of the call; docs/inputs.md lists every input.",
        });
    }
}
/** The run has no secrets: a fork, Dependabot, or a job that does not name its environment. */
class NoSecretsError extends UserError {
    name = "NoSecretsError";
    constructor(consequence) {
        super(`api-key is empty: this run has no secrets, or none of that name. ${consequence}`, {
            hint: "Runs of forks and of Dependabot get no secrets: add the `if:` of the README to the job that rents and to the GPU job. " +
                "In any other run create the secret; where it is one of an environment, the job must name that (`environment: gpu`).",
        });
    }
}
/** The workflow file: the job that rents is one of a matrix in which one failure cancels all. */
class FailFastError extends UserError {
    name = "FailFastError";
    constructor(jobs, consequence) {
        super(`This job is one of ${jobs} of a matrix with fail-fast on: the first of them that fails would cancel the others, and take their machines from running GPU jobs. ${consequence}`, {
            hint: "Take the matrix off the job that rents: one such job serves every GPU job of the run that asks for its label. " +
                "Or set strategy: { fail-fast: false } on it, and give each its own name.",
        });
    }
}

// EXTERNAL MODULE: external "node:zlib"
var external_node_zlib_ = __nccwpck_require__(8522);
;// CONCATENATED MODULE: ./lib/machine-script/pack-text.js

/** Packs a text for a variable or a line of shell: gzip, then base64. The bootstrap unpacks it. */
function packText(text) {
    return (0,external_node_zlib_.gzipSync)(text, { level: 9 }).toString("base64");
}

;// CONCATENATED MODULE: ./lib/machine-script/packed.js
const ONSTART = "#!/bin/bash\npacked() {\necho H4sIAAAAAAACA5VYbVPbuhL+rl+xCINtOM4bp3fOpDhtT5uWTDnQgTC3t5TJCFtJVBzJR7JD29T//cxKdkgKvXPvJ2JJu9p99tkXsbvTLo1u3wrZ5nIJt8zMSaZmQQgrkqmEZTD+FF+NX5NcC1lMwd8L9t6O98afwjHM5roPe+az9CHqAvUOKKnIlImslp65Nf5VFNAlFZkzY3cStVgwmUK0BOp1KQzaKV+2ZZllpCKlzFlyZ8+JKcyZQZv4v36H/X37Nfsu8udQzLlsTNozTs2P5mSUwg97DqKU8Mzwxyfzb8VcySOIFltCG8uN/FSQirBcbCBS6iym3ruTi8mrD6PJ1cVpm+Wivey0hTQFkwk3be/1+dn41ehseDEZvWnTxpWk1FltPJPmnuvYCxpg55ylXEMM9FVZzJUW31khlOzDn5xprmHPUB/ohmK8/P3wPxR+ENQL0d/CXKLpvQ5E7yGC6KNzNzoB/7WSBZdFNP6W8z6wPM9EYvW3vxglffBWvf4hjVKvRyuI7sH/LPdW86LIJ4lKeYU3lzqjIfz4AYUuOTEFK0oTeyvnyO7uged/ln7lAG921945mjxt/gPsCfhikStdgBEzyTIy1WqBeGfitqX53yU3BdQnDog702IZ04ug1wldmINSZyrnMrhw5wPqO9t9+hs4kE282gaZ9oHWMFM4BCHzsgjC6jdY8GKu0pi+GZ4Ox0Mahi3nWeg/IDEVjuvjOQfD9VIkHBwoBryVO9+PpCrmQs4qKBR43RamipCTRMmCCcn1Br24LPQ3cj8XGYfR28sYNGcpRBop6vtu+zmkilxfg2e/YCcGusm4eIt/FG5u0FrNi1JL6JBUSQ7H7VyrpN3FvBdaSVJvd0kFvY2UvBW6mG+Yhw6R2iRmv+CYOl1et43f1FpmPb/u3VQQx/CpNoEnc4WkbDXb3ZuK/nRhwe74JFN1EXCXSrbgMa7BXGUp16SUhcggkxBhTgfWSPC8kAL18DDdVGnRcoKxF6DtmZB3zclwCxs0vVZHvZUT2msdVDS0KHtuZRtSsjavVe9biElFclYabv1YB7Gok1JCF6ISjmCCpW0NfhB4L2AA3d4foTXMZJznVoRURJdScj0xTKTbEdGFAVwlC5ZPkThR0Swfm5zLYnPDQrZy29cRRsDKwnGmZnXomEivD1zoDvDuA7i5IRX5om4nCVs4j66vIeLAkoTnBU8bQB4sBP+ilFLIGXxRtz7yPc34I7PjILSaDFg7Uc3+PvzSjSDwVru16S+dgaXhxmF1y2dMxh7PWG54CppPS8PTuEPwSLwlaO+U4FkRvHHnKWdcdMUUnK+1Qri5qYt4EATN2mEM3RAG0AvDOpOwMARBY8wgdubBIWDnGL05HU7Go7+G51djOIRurxOGzowGY1KRe1Ykm6mXiSmPu390akd9/8FFMIXKcyFnse/XteNOZBlEHaDevdJ31CaB5SN0n1m0NGd3TWtswWBQiOTObJiMLj0Lm/BkYiGa8DRkRoPg2O4gSlve4l4Y1kC5AikWHISBMgc2LbgGz8qbFiXOlqlALUiTWgxv/g5e41sdFncYVfpnCvGCqdJQzIWBBUvmQvLnazhQT03Klk8cJKOzMUQR0MgBQ9bQddECWxx7WzMJHpjwJdffbA1vhpPN+r3hp3/Z3P0g0vJr6HvOhm5tyvvR6SnaEtmrt+vgTCz55LYZhtS9nNyzb4YUmuXAZkxIGH4cjUkfBmrJtbv6nVg2TtdQAGpo+WT1tPMYzS3L1iat4dm2ynELG58lVBAUWnDj6B/ioASuVz7EDvtfU/5lamJXY+v1OIbfO9fdo5uaWY0+m0i4gBo/XI3BX1EU4bRPbbx4Sit/ff0e2ATCerkdKxIEhidKpgZiaH4dYwa8WH8eQA/6cNQJwzpI1Ku3aFPHb/lMSBsHwwuIhrxUkIuc47TrIhLBydUH99O3bD9F8L3T0dnw7BzUFLzVn68uTyaX51cXr4fXnZvd3YN2BaiApy3qw/Digqxcg3zW6cCg6ako9WH0pq3UYmISpfmEpV9oM308h+3wuPEZ6ztWmX+fX7yPKgoDjGTLzFEKbwS/2cV8XAhjkDVKQ8oWbMbTlk+MKnXCodWuRQn+tbnAdDHBjwc4FiRwnvdhdDYmgUULjgb7UUisQ4P9IxLCvtUReztW6nCBgzXy2Cmaq9y2Jv6VJxZW/tXOedNSJjijGXg0O6KbO+jJy4oC6gbHhiawSLfHhMXVhq/11x4c/Yo93BGm5/ab+knQSvtagihPwOdLlgH11rZS322uc7gh0qxkOt1OaFfb6/eA70M9O/s+ZGLJ03rJtUpoCix2NAen7zuvsQc4v+Nek2iOjr6jZjNWbXS2n2tJDXkk/1fUiXXct2gcHQ/gOOiHft0wbDt51DCWPIVj12lqX2IvCLrP4AC81a7dr8L/ayR4orlvVmaULZDzkYTDLkRvIYpykYLnAebpYNDMwdO03YX9h26PVfWh1dvyOt7oMfZBN2cpiMIAotny12+fOkNcA8fK/sCDinBZ1PM+ti0E8uL8fAxCNlmLn/2orfKiPZvrCkfa1cn5X8N+1C4WeYWLFPAn/rKkFlNY3KVCQ4SjYqPDFvck/XkFvbuH1tq1mgzP4anmZ6sFPm20bd1SwdQOuLbllgab+PBq9AZfNfdaFBwK1cd1YBIE1hK4nyvD3VFhQCtV2MdPQ/91FTnk5Vc4VJArI75uMPHyZHh6ev5hfEm2Xal1ICdMM4/uIGnUFBnuBcdqGmJ/oU8/hhYQ6Sk2uoOH/20Y/9HpgZr+1AEX7NetoI+x2lTQf1FRsk6muG4Cw4/D11fj0fnZ5HJ8MTp714+84Jh6HRrW9HhwDW2tucchFeYOMJFdJHAfWfdzoWwwaqqzq1P/rUxhVYLjtY8wGOCdvcE+ZkTlHgXb7asfeZ3KPYk6DabUW73sR4hPRck/yefPKFoSAAA=\n}\nunpack() {\npacked | base64 -d | gzip -d ||\npacked | python3 -m base64 -d | python3 -m gzip -d\n}\ninstall_gzip() {\nlocal manager\n((EUID)) && set -- sudo -n\nfor manager in dnf microdnf; do\n\"$@\" timeout 100 $manager install -y gzip && return\ndone\n}\ngive_back() {\nset +x\necho \"ghr: The image needs gzip and base64, or python3. Giving the machine back.\"\nwhile type curl && sleep 9; do\necho \"Authorization: Bearer $CONTAINER_API_KEY\" |\ncurl -qsSm20 -H@- -XDELETE \"$GHR_API_URL/api/v0/instances/$CONTAINER_ID/\"\ndone\n}\nbash -c \"$(unpack || { install_gzip >&2 && unpack; } || give_back >&2)\"\n";
const WORK = "H4sIAAAAAAACA51Z/3PayJL/XX9FR1EM2BYYZ7NVj438lsTE5i0xlMG3t2f7qQZpgAliRqsZ2U4w97df9cwICezUXV0qZaTRTHdPf5tP97x908pl1poy3qL8AaZELpyMqux7vQFrx/V+d+H5GdYgE0pTaJ/AwQHg6G+wqX54X/3gbBypyJxqEvpJHgXuMXht8Or1ce/z8Op8DD5IxiPaaIB0Hf0YePabs3Ey+nfOMhrOEzaNNKHbW/DqSRyD7z/QTDLB4fTsoN2ANwEcrnKZHML9Pco0IywBt5ukjFNgK2QPEeE1BVnOQS0oXDB1mU/xldOsA0wBpzSWoJk14c65kRQInNMpI/wYbqY5VzmIDK4vewPUEY0N4abrbBwiw0wIpYVkM6jXezf9cwgCOGk0fkN+3CqGJpKCzGMBfjE0Y87GeWRqEZLUUEhERBJgUe7Qp1RkCs57n/rdq/DL9fBq0rs6D7jgjCuakUixB4pq8SnkaUwUja0GrERAUuXPqQL/77/BF9CNtE47nc8LGi39c6JoMCMolFmO0qOW2yh8wqYsyuH+3mzBYVEeeHWkGJFoQUFSkkUL8H1OVlT6giffofZvs+r2xP/H/ZFXazgSufvgemsW5e/eweHGdWbM+YmA56PlvNMZiGjZ6UzYiopcBe3TE2BcKpIk4H9HfsK3735GI7FaUR5LrU44OHCUyKNFoQ5n49ipFdWuCCdzmjk7dkKtLYg01nl+hoyqPOOoEBy1YlpN6PCAwmias2Pnz5gzE1nBAhiHmM9gxaJMxHz2G8SiIOl6dpJrXcRQLRRTfq5u3m7SSqe9JxacWu7QdjbOnKpwoVQqwyhhlBufWmuWUZ4luDoSq3ROOfgXUGtRFbWkTFoRzZRsRcQ/bEaZqsFZK6YPLZ4niY30QgxNJSI+LmAzFhFFJX5XWU6dKhurkhdqNuE5WdCMApPAhV5xDITHkEuagacXmIgtuDLVgWnG+ByDlZko1hF4jGGZUAVMSbN8SgFV2HQdzam2z6lZczYoaGh8tcwto+7kMvDwb6clp4x3dGbEJ0jiSPAZm4OfNnArh2ZtHjWlwLRjFa+ESGSRB1AXc6aqupuzwodK/tXv5YjWJuYLJxHz3T3MmWrW0NN2aRTZYji56k3C8V/jSe9reDEYfuoO+v/VnfSHV2H/6j+61/3u1SRAT1nS7+GjyJZGYJIyGN1MoLZ2pSKKuh0X0yPjc3dT0/rB4Vzi7k8P0b4e4fKRZhD8N9y5Mo8iKuWdeweHnTs4RPkxGZV+gAwuepN9UicnL2hpbfCIltRub9f3RstpJh5ouKTfKwHNxSMk7IHGQa0GCVsxFXgXl9fh1+5/hjejSf9rDzAbBF7tjt+ex/dE0Q7Ub/99l90fNmpOzhVLYKsNHaTmUPtgostmxVJED8nZ3XHxGHh1PeDHmOc+dceX4XXva3fy+fK2fb9x4eidtOeAU6+jYOe97vmgf9WDM1xeiYoaJj00c542tdLfgC9BsWgpbWbPKInBz8x+4aP5VPhLvY6qCGCHh6/1cwTtD3AI3vqtXrlpNJx6XesKPpZCWOVx8Yj+RaOFANfTgy6c6V/tjhi8qDDQCmtCKTWQmcIINpSlPh4jPGzCeZrLis0SJhUujyESOVfBiYMjgVdXJu0Dpn3+wGJGfLli4A+0gGunXvf+iSd++/SXquIqU5UQS0gExwSsFoRrUhJDRieeykwckB2UViqU9HHBErpVsZYu1O6A5tevbwK4GN1YW9TrWnY4CqDdaGhfgY8fP7qWXvH5zBjk6uZreDG6GVeTYEUWSakEz6wQM/CqS5CnLKDGnD1QrjW5K64fQ622lfa6Nxr8hQH2u/a458/Dq0m3f9W7DrujfvhH76/geZbzSDHBZfDc/Yz5YRxe31zhlOfi1yaT5/FlbzAYjibj4Hn053nwPByc42/DIi4nplFCMgr+E7iGtWvV4bbSTEQtz0N0yTLBXTgtj5Yy0z3RyBykGyfLeYiJvOouiDECrw2SRoLHMvDeg1zQJAF0lwxmIkkEBmckYhqcaEvnGQ1qNSdbgT8D10MKzQQTm5PzlERLcL1TF87sF7lwnc72LRFz10CXlVOPdFhfDr/2On4LT5aNPoMLU2jIDD4VkLKUGrtq610Ph5PWlnpjh7hGrnDg6E0E3hunwNGuZ7eoeayhIhPKXigMz+SDA1gyxAV/9AcDDbJ8T9PT2PzA0apB2riRo5WjMpJC7SdL8EkvQJj6xBS0a9C/mjgK9+NzOGqjGn0JJ81T8P2UoVKKpZV9HTiFLfSunEfCVDnz+dlYyPun80IOw33rEXahHXW9gmw5Y1P1JLM7X8uMgRfTPcSB7mAEBcpjGmv8pqXBqIsRyZt8S6HUd6WgqKx/kWAKm9mEhw6cZmJKC2jhc/DW6BKj6+Gnnr/Z5nKN2k5Kjwe9zPqPnuxi9tI0foBn5dgpcyYLJmFFooUudgxAECLulLO9emHEtqGPlmoUgkqq8vSFoOPe5Gb0UlCNRa4NLAC9slmrSK9HrPSaglt9CfEkHt5M3Ne3ow+W7RieMJhpv4kpPKKr6N0iRJQL8ajBnshVmqtC45xmoZiFGhNWEsdMJDHNoCgYU6IUzXhQ8+tYozTvjxp3TUWyu+b8h2dgjg5dk/9urgf6uLerdrShcb6lzrCaW9tFNlGIVLWIya++EW/jwiujsPdeZHD/CTxDXtfm1/pjc8CkorjKiBIJrhjPqWP3F3j1/yP+MxH1E+puWWI3tuG2Pfi1ijW6tTvwCu0yXsj8W1Fii9kMPeMlLGq6cHZwqjVeLH8TvI6fzF7XYPGI4bBTB21elEGKLGn4mlusljHLwE+t8Lh9J0rBJ+B6ba2Mplv51nISDr6ccf2ZPqEfkERup2xHHJThkSeCxJavZmeqOl0S+TM5xmQXCc5ppPwC6bw/wdLu1xMsgM3Kppr/KA6RrSe6O7VToXtTJU0pFMxp3HQduSCnH36V+Qp832JtPzLYpEJ0fNk9/fArVJi+zkNXwPCYCT6H8WXXP/3wa9PdV6SjSAb+0w8xq27C/1x8zlaVcVsuVfRUjVYE3OYp8Op7NiyA9Gv2LX3DVE579nB0r0Xw8JuYhlKRTNG4wvubmAaud9GfXN58Cq97o+G4Pxle/wXboZursH++89qdTHpfRxMXUpJRropCAXOW9uW2W7ZPTF/C9U5bGZ3lksauxdc7CfwRo4py7ORgfvHax8CFMs/fxBRNayuTAvYZ1iXQGo365y3siug069nPbwKwMf6nyJbb/FE5hF290nXM4Y+6KiUmUURThSLbM+K9Xa8nn2xBAhZzON+cDBpE2Zh9vyW8cR4zpmi4EGJpehNmTu3tGx1viKZqJaCcwa7BnDRjXM2gtjsM7/42/+94rYicqgmN0xv72eet8Uq05pYHkOts4OybmPqWQVMunGixEjEcPcHe+Mbh9EmFpkOQZwTTecWxSJIEddecq//qT/wNsinewtO99/d777/4G7cBmpsM6o1tUShTtKsxw4qkMywFfGUnwkf92dkRKfDWJEluvfVbM+n29/vNvb8pbLoz1xTb2GDALLVTt23r7Bl1ymp0RuGjKRD/H1XrKRxCXdPw98vUonrCWn7Q/9JDDNFo6P4wiXXPcfgl/Nfw0zioN+dM2S4NPvpRRmPKFSOJhCanKougydMV/qTfU4a/sYgwGJrkUUKT/EDg0VzmU+o0pVy01obaMYvDdSbJMY1i/BuffvjQ/sdm4zTN99Z6ztTxfHE8jxKRxxto6gZpa5HP54zPZySirbUSS8qPpRIZjUP9IjcNJ6MruprSLFyIHS0jzLSKjAG/7QMxk3zxi8YhGpYaFGLVgcZ1CyxhUO1OCWMKk6KQ/UmJY85F3zdJRFqgX42YForQck3xi7V+QknV9zNKpMCOKf4EXl03ME3XvtKmtqPVstB5Bd1uzzrNxaZIArM8UwuaYVR2wFsbXu/eYbenhu1mK1VoYW5Fw3ocsELMilOrtdZdoOMwZmR+3DSD6+NwxeYZdpQ3x82KX1U+HIeZJCnJyEpuNlBkTLDJ/n+10o4o7mu2KusTrfN9+zW1KbTVNKmf226XttvYJvJ2YUVE9C/OZl0qJYxTuRVEPGxPklfaV5WspJfBx0TMiwMBA5xTnYNcODsz6UqXF2NMTlhfqC0Cwd6NyCBE5bXhFN7DL/DBqM3U+/W9Bkb/anQzwfT5eXj1pX8R7CW3vdmXw+EfaI5wPOleT3rnQeneu5ke7hzQ/+zC7mAw/BOpdMc4O2iXTYEKgtyH7lluUHVRCW+BtYVbPytPLbrQY28COEUamLilEmmKCjOWwFMxIitqrxWmGSVLfVNgkcM271pjLylNQzTfDhrC8pvGwYmzBtOz/KPXG4Vfuv1B7xzOdGF9cACFI1gvLxq+BpZJwmKo4WVDQlWxo4zKPFEd+KIZ1uzdgi2pOnCGLmU00tW1nxGso52hUuUuaaps+CdYjU+/w3h8aXDSvrRSXxGYLm9pWd2eok9MKizaTSut2I6LH3UGxDK1qt+DA6jXjW7gI+xxwtu+sndcOd/sgqMAPtg+4barb8RnUseSvpkog0/uRF/VgQuRsMFl2jrbEdu32TlZyu29sp+X2KW4psL5JdCoXFwgJjAlmd7GgEppGiELksywe7kiTz6e58rmg4TOVAdbE5Vc3aztVnBFkkboWeoA5ah4aHlXtnP/tXEwaVfUZS6dEaeYi+UTKFuCRUXyimJfAXKV5FY9i7AmWpBYNyJQFuyDVG+sX9zDlTcX5kYc++eV1ri+OcMSqnIbZF+3F2vzHyzduU2y73pCWU/Bge2HYAdu24uyXC9GN+VNlR0zz7bhZpa6lUPBTCrKuKJlZIfNcwnpTexeUxJ/ByV0m5/y4laguPnHnvvamOjtMWyabtXpnY3zP5HQS5KUIAAA";

;// CONCATENATED MODULE: ./lib/machine-script/onstart-env.js


const RESERVED_PREFIXES = ["GHR_", "CONTAINER_", "ACTIONS_RUNNER_"];
/** The create's `env`: the user's variables, checked by `isReservedName` before; our own win. */
function onstartEnv(settings, userEnv) {
    return {
        ...userEnv,
        ...configurations(settings.jitConfigs),
        GHR_RUNNER_URL: settings.runnerUrl,
        GHR_RUNNER_SHA256: settings.runnerSha256,
        GHR_API_URL: settings.apiUrl.replace(/\/+$/, ""),
        // Bash counts in whole numbers only.
        GHR_DEADLINE: String(Math.floor(settings.deadline)),
        GHR_MAX_UPTIME: String(Math.ceil(settings.maxUptimeSeconds)),
        GHR_MAX_LIFETIME: String(Math.ceil(settings.maxLifetimeSeconds)),
        GHR_KEEP_FAILED: String(Math.ceil(settings.keepFailedSeconds)),
        GHR_IDLE_TIMEOUT: String(Math.ceil(settings.idleTimeoutSeconds)),
        GHR_NUM_GPUS: String(settings.numGpus),
        GHR_REPOSITORY: settings.repository,
        GHR_RUN_ID: String(settings.runId),
        GHR_RUN_ATTEMPT: String(settings.runAttempt),
        GHR_WORK: WORK,
        ...(settings.probe && { GHR_PROBE: packText(settings.probe) }),
        ...(settings.setup && {
            GHR_SETUP: packText(settings.setup),
            GHR_SETUP_TIMEOUT: String(Math.ceil(settings.setupTimeoutSeconds)),
        }),
    };
}
/** The first one is GHR_JIT, the further ones GHR_JIT_2 and so on. */
function configurations(jitConfigs) {
    return Object.fromEntries(jitConfigs.map((jit, index) => [index === 0 ? "GHR_JIT" : `GHR_JIT_${index + 1}`, jit]));
}
/** True for variables of the bootstrap, the service or the runner, which no user may set. */
function isReservedName(name) {
    return RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix));
}

;// CONCATENATED MODULE: ./lib/action/input-fields.js




/** Returned by a reader instead of a value: what is wrong, and what is allowed. */
class Fault {
    wrong;
    constructor(wrong) {
        this.wrong = wrong;
    }
}
/** A field from a reader of its text; the fallback is read where the text is empty. */
function field(read, fallback) {
    return schemas_string()
        .optional()
        .transform((given, context) => {
        const value = read(given?.trim() || fallback);
        if (!(value instanceof Fault))
            return value;
        context.addIssue({ code: "custom", message: value.wrong });
        return NEVER;
    });
}
/** A text that must match; empty only if the fallback is. */
function textField(allowed) {
    return field((text) => {
        if (text === "")
            return allowed.required ? new Fault(`is missing, allowed is ${allowed.words}`) : text;
        return allowed.pattern.test(text) ? text : new Fault(`is not valid, allowed is ${allowed.words}`);
    }, allowed.fallback ?? "");
}
/** A number in plain decimal notation, within bounds. */
function numberField(allowed) {
    return field((text) => readNumber(text, allowed), allowed.fallback ?? "");
}
/** The same, or `auto`: the action decides, and that is the default. */
function numberOrAutoField(allowed) {
    return field((text) => (text.toLowerCase() === "auto" ? "auto" : readNumber(text, allowed, "auto or ")), "auto");
}
function readNumber(text, { min, max, whole, unit }, or = "") {
    const words = `${or}${whole ? "a whole number" : "a number"} from ${min} to ${max} ${unit}`.trim();
    if (text === "")
        return new Fault(`is missing, allowed is ${words}`);
    const value = /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
    const fits = value >= min && value <= max && (!whole || Number.isInteger(value));
    return fits ? value : new Fault(`is not valid, allowed is ${words}`);
}
/** A duration in milliseconds, within bounds that are written like it. */
function durationField(allowed) {
    return field((text) => readDuration(text, allowed), allowed.fallback);
}
/** The same, or `auto`: the action decides, and that is the default. */
function durationOrAutoField(allowed) {
    return field((text) => (text.toLowerCase() === "auto" ? "auto" : readDuration(text, allowed, "auto or ")), "auto");
}
function readDuration(text, { min, max }, or = "") {
    const words = `${or}a duration from ${min} to ${max}, written like 90s, 10m, 2h or 1h30m`;
    if (/^\d+(\.\d+)?$/.test(text))
        return new Fault(`is a bare number without a unit, allowed is ${words}`);
    const value = parseDuration(text);
    const fits = value !== undefined && value >= Number(parseDuration(min)) && value <= Number(parseDuration(max));
    return fits ? value : new Fault(`is not valid, allowed is ${words}`);
}
/** A number within bounds, or nothing. */
function optionalNumberField(allowed) {
    return field((text) => (text === "" ? undefined : readNumber(text, allowed)), "");
}
/** One of a few words. */
function choiceField(choices, fallback) {
    return field((text) => choices.find((choice) => choice === text.toLowerCase()) ??
        new Fault(`is not valid, allowed is ${choices.join(", ")}`), fallback);
}
/** `true` or `false`. `also` is a further word for true. */
function booleanField(fallback, also) {
    const words = [...(also === undefined ? [] : [also]), "true", "false"];
    return field((text) => {
        const word = words.find((each) => each === text.toLowerCase());
        return word === undefined ? new Fault(`is not valid, allowed is ${words.join(", ")}`) : word !== "false";
    }, String(fallback));
}
/** The service's address. A key is sent to it, so it is https, or this very machine. */
function addressField(fallback) {
    return field((text) => {
        const url = URL.canParse(text) ? new URL(text) : undefined;
        const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
        if (!url || !isSafe || url.username !== "" || url.search !== "" || url.hash !== "") {
            return new Fault("is not valid, allowed is an https address (http only for this machine itself), without user, query or fragment");
        }
        return url.href.replace(/\/+$/, "");
    }, fallback);
}
const MOST_ENV_CHARACTERS = 16_384;
/** Lines `NAME=value`; blank lines and lines that begin with # are left out. */
function envField() {
    return field((text) => {
        const lines = text.split("\n").map((line) => line.trim());
        const entries = lines.filter((line) => line !== "" && !line.startsWith("#"));
        const wrong = entries.findIndex((line) => !/^[A-Za-z_][A-Za-z0-9_]*=/.test(line));
        if (wrong >= 0)
            return new Fault(`is not valid in entry ${wrong + 1}, allowed is one NAME=value a line`);
        const pairs = entries.map((line) => [
            line.slice(0, line.indexOf("=")),
            line.slice(line.indexOf("=") + 1),
        ]);
        const reserved = pairs.map(([name]) => name).find(isReservedName);
        if (reserved !== undefined)
            return new Fault(`sets ${reserved}, allowed are names that the runner and the service don't use themselves`);
        if (text.length > MOST_ENV_CHARACTERS)
            return new Fault(`is too long, allowed are ${MOST_ENV_CHARACTERS} characters`);
        return Object.fromEntries(pairs);
    }, "");
}

;// CONCATENATED MODULE: ./lib/action/fleet-inputs.js

/** The fates of a job that can have no machine. */
const IF_NO_MACHINE = ["auto", "cancel", "fail-jobs", "leave"];
/** Machines that `auto` allows: a volume is on one machine, and no other can have it. */
const AUTO_MACHINES = { usual: 4, withVolume: 1, perRepository: 8 };
/** The inputs that say how many machines serve how many jobs, by their names in action.yml. */
const FLEET_INPUTS = {
    machines: numberOrAutoField({ min: 1, max: 16, whole: true, unit: "machines" }),
    jobs: numberOrAutoField({ min: 1, max: 1000, whole: true, unit: "jobs" }),
    "jobs-per-machine": numberField({ min: 1, max: 4, whole: true, unit: "jobs", fallback: "1" }),
    hedge: booleanField(true),
};
/** The inputs about the end and what follows it, named as in action.yml. Milliseconds. */
const END_INPUTS = {
    hold: booleanField(true, "auto"),
    "wait-for-job": durationField({ min: "0s", max: "6h", fallback: "30m" }),
    "fail-with-job": booleanField(true),
    "keep-failed": durationField({ min: "0s", max: "24h", fallback: "0s" }),
    "if-no-machine": choiceField(IF_NO_MACHINE, "auto"),
};
/** Told by the platform about this very job, as defaults of inputs that nobody sets. */
const JOB_INPUTS = {
    "job-check-run-id": textField({ pattern: /^\d+$/, words: "the id of this job's check run; leave it alone" }),
    "job-status": textField({ pattern: /^[a-z_]+$/, words: "the status of this job; leave it alone" }),
    "strategy-fail-fast": booleanField(false),
    "strategy-job-total": numberField({
        min: 1,
        max: 1_000_000,
        whole: true,
        unit: "jobs of this job's matrix; leave it alone",
        fallback: "1",
    }),
};

;// CONCATENATED MODULE: ./lib/registry/image-name.js
const DOCKER_HUB = "docker.io";
/** Docker Hub goes by several names; logins use them all. */
const DOCKER_HUB_NAMES = new Set([DOCKER_HUB, "index.docker.io", "registry-1.docker.io"]);
const IMAGE = /^(?<name>[^@]+?)(?::(?<tag>[A-Za-z0-9_][A-Za-z0-9._-]{0,127}))?(?:@(?<digest>sha256:[0-9a-f]{64}))?$/;
/** OCI distribution specification, "Pulling manifests"; the 255 characters are Docker's. */
const REPOSITORY = /^(?=.{1,255}$)[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
/** Reads an image's name; undefined for one that no registry can have. */
function readImageName(image) {
    const { name = "", tag = "latest", digest } = IMAGE.exec(image)?.groups ?? {};
    const [first = "", ...others] = name.split("/");
    const hasRegistry = others.length > 0 && (/[.:]/.test(first) || first === "localhost");
    const registry = hasRegistry ? registryOf(first) : DOCKER_HUB;
    const path = hasRegistry ? others.join("/") : name;
    const repository = registry === DOCKER_HUB && !path.includes("/") ? `library/${path}` : path;
    if (!isHost(registry) || !REPOSITORY.test(repository))
        return undefined;
    return { registry, repository, reference: digest ?? tag };
}
/** A name that an address keeps as it is: `0.` would lead to 0.0.0.0, with the login. */
function isHost(registry) {
    const isPlain = /^(?=.{1,255}$)[a-z0-9]+(?:(?:\.|-+)[a-z0-9]+)*(?::\d{1,5})?$/.test(registry);
    return isPlain && URL.parse(`https://${registry}`)?.hostname === registry.replace(/:\d+$/, "");
}
/** The registry of a login or an image, by any of its names, without a path. */
function registryOf(text) {
    const host = text.replace(/\/.*$/, "").toLowerCase();
    return DOCKER_HUB_NAMES.has(host) ? DOCKER_HUB : host;
}
/** The host that answers for a registry. */
function image_name_hostOf(registry) {
    return registry === DOCKER_HUB ? "registry-1.docker.io" : registry;
}

;// CONCATENATED MODULE: ./lib/action/machine-inputs.js


const MOST_SETUP_CHARACTERS = 8192;
const MOST_PROBE_CHARACTERS = 2048;
/** The launch modes that can't be had, each with what it lacks. Seed, runtype table. */
const REFUSED_RUNTYPES = [
    { pattern: /^args$/, why: "keeps the image's own entrypoint, so that the runner would not be started" },
    { pattern: /^jupyter/, why: "opens a notebook server on the machine, which a test job has no use for" },
    { pattern: /^ssh$/, why: "was seen not to be reachable" },
];
/** The inputs that say what the machine is to be, by their names in action.yml. */
const MACHINE_INPUTS = {
    image: imageField(),
    "image-login": textField({
        pattern: /^-u [^\s'"\\]+ -p [^\s'"\\]+ [a-z0-9][a-z0-9.-]*(:\d{1,5})?(\/[a-z0-9._/-]*)?$/,
        words: "-u USER -p TOKEN REGISTRY, in that order, without quotes",
    }),
    "template-hash-id": textField({
        pattern: /^[A-Za-z0-9]{8,128}$/,
        words: "a template's hash_id (not its number), as the service's console shows it",
    }),
    "template-name": textField({
        pattern: /^[^\p{Cc}\p{Cf}]{1,256}$/u,
        words: "a template's whole name in one line, as the service's console shows it",
    }),
    runtype: runtypeField(),
    disk: numberField({ min: 8, max: 65_536, unit: "GB", fallback: "32" }),
    env: envField(),
    setup: shellField(MOST_SETUP_CHARACTERS),
    "setup-timeout": durationField({ min: "10s", max: "2h", fallback: "10m" }),
    probe: probeField(),
    "boot-timeout": durationOrAutoField({ min: "30s", max: "2h" }),
};
/** A name that no registry can have is refused here: each machine rented for it would fail. */
function imageField() {
    return field((text) => {
        if (text === "" || readImageName(text) !== undefined)
            return text;
        const wrong = /:(?:@|$)/.test(text) ? "has an empty tag (is a variable unset?)" : "is not valid";
        return new Fault(`${wrong}, allowed is a container image, such as pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime`);
    }, "");
}
function runtypeField() {
    return field((text) => {
        const choice = text.toLowerCase();
        if (choice === "ssh_proxy" || choice === "ssh_direct")
            return choice;
        const refused = REFUSED_RUNTYPES.find(({ pattern }) => pattern.test(choice));
        return new Fault(`${refused ? refused.why : "is not valid"}, allowed is ssh_proxy or ssh_direct`);
    }, "ssh_proxy");
}
/** Lines of bash that travel in a variable: of control characters only line ends and tabs. */
function shellField(most) {
    return field((text) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
        if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(text.replaceAll("\r\n", "\n")))
            return new Fault("holds control characters, allowed are lines of shell");
        if (text.length > most)
            return new Fault(`is too long, allowed are ${most} characters`);
        return text.replaceAll("\r\n", "\n");
    }, "");
}
function probeField() {
    const lines = shellField(MOST_PROBE_CHARACTERS);
    return lines.refine((text) => !text.includes("\n"), {
        error: "has more than one line, allowed is one line of shell (use setup for more)",
    });
}

;// CONCATENATED MODULE: ./lib/action/filter-field.js



const MOST_CHARACTERS = 4000;
const filter_field_OPERATORS = FILTER_OPERATORS;
const LISTING = ["in", "notin"];
/** Fields that the action sets itself, and no user's filter may change. */
const OURS = ["rentable", "rented", "type", "limit", "order", "allocated_storage"];
/** JSON in the service's own form: `{"<field>": {"<operator>": <value>}}`. */
function filterField() {
    return field((text) => {
        if (text.length > MOST_CHARACTERS)
            return new Fault(`is too long, allowed are ${MOST_CHARACTERS} characters`);
        const given = readJson(text);
        if (!isRecord(given))
            return new Fault('is not a JSON object, allowed is the service\'s own form, such as {"disk_bw": {"gte": 500}}');
        const faults = Object.entries(given).flatMap(([name, filter]) => faultsOf(name, filter));
        // Checked above, field by field.
        return faults[0] ?? given;
    }, "{}");
}
function faultsOf(name, filter) {
    if (!/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name))
        return [new Fault("is not valid, allowed are an offer's fields as names")];
    if (OURS.includes(name))
        return [new Fault(`sets ${name}, allowed are fields that the action does not set itself`)];
    if (!isRecord(filter) || Object.keys(filter).length === 0)
        return [new Fault(`is not valid at ${name}, allowed is an object of operators, such as {"gte": 500}`)];
    return Object.entries(filter).flatMap(([operator, value]) => {
        if (!filter_field_OPERATORS.includes(operator))
            return [new Fault(`is not valid at ${name}, allowed are the operators ${filter_field_OPERATORS.join(", ")}`)];
        const words = LISTING.includes(operator) ? "a list of texts and numbers" : "a text, a number, true or false";
        return fits(operator, value) ? [] : [new Fault(`is not valid at ${name}.${operator}, allowed is ${words}`)];
    });
}
function fits(operator, value) {
    if (LISTING.includes(operator))
        return (Array.isArray(value) && value.length > 0 && value.every((each) => isScalar(each) && typeof each !== "boolean"));
    return isScalar(value);
}
function isScalar(value) {
    return ["string", "number", "boolean"].includes(typeof value);
}

;// CONCATENATED MODULE: ./lib/action/list-field.js

/** Values separated by commas or one a line; none when empty. `read` brings each into its form. */
function listField(allowed) {
    return field((text) => {
        const entries = text
            .split(/[,\n]/)
            .map((entry) => entry.trim())
            .filter((entry) => entry !== "");
        const words = `${allowed.words}, several separated by commas or one a line`;
        if (entries.length > allowed.most)
            return new Fault(`is too long, allowed are ${allowed.most} entries`);
        if (!entries.every((entry) => allowed.pattern.test(entry)))
            return new Fault(`is not valid, allowed is ${words}`);
        return [...new Set(entries.map(allowed.read))];
    }, "");
}

;// CONCATENATED MODULE: ./lib/action/offer-inputs.js



/** The inputs that choose the offer, named as in action.yml. GB, Mbit/s, USD per hour. */
const OFFER_INPUTS = {
    "gpu-name": listField({
        pattern: /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/,
        words: "a GPU's name as the service writes it, such as RTX 4090",
        most: 32,
        read: (name) => name,
    }),
    "num-gpus": numberField({ min: 1, max: 64, whole: true, unit: "GPUs", fallback: "1" }),
    "max-price": numberField({ min: 0.001, max: 1000, unit: "USD per hour" }),
    "min-reliability": numberField({ min: 0, max: 1, unit: "", fallback: "0.95" }),
    "min-gpu-ram-gb": numberField({ min: 0, max: 2048, unit: "GB", fallback: "0" }),
    "min-compute-cap": numberField({ min: 0, max: 30, unit: "(such as 8.9)", fallback: "7.0" }),
    "min-cuda": numberOrAutoField({ min: 0, max: 30, unit: "(such as 12.8)" }),
    "min-cpu-cores": numberField({ min: 0, max: 1024, unit: "cores", fallback: "0" }),
    "min-cpu-ram-gb": numberField({ min: 0, max: 16_384, unit: "GB", fallback: "0" }),
    "min-inet-down-mbps": numberOrAutoField({ min: 0, max: 100_000, unit: "Mbit/s" }),
    geolocation: listField({
        pattern: /^[A-Za-z]{2}$/,
        words: "a country's two letters, such as SE",
        most: 100,
        read: (code) => code.toUpperCase(),
    }),
    datacenter: booleanField(false),
    "offer-filter": filterField(),
    order: choiceField(["auto", "price", "score", "dlperf_per_dphtotal"], "auto"),
    "exclude-machines": listField({
        pattern: /^\d{1,15}$/,
        words: "a machine's id, as in the log",
        most: 500,
        read: Number,
    }),
};

;// CONCATENATED MODULE: ./lib/action/pricing-inputs.js

/** The inputs about paying for the machine, named as in action.yml. USD per hour. */
const PRICING_INPUTS = {
    pricing: choiceField(["on-demand", "bid"], "on-demand"),
    "bid-price": optionalNumberField({ min: 0.001, max: 128, unit: "USD per hour" }),
    "bid-fallback": booleanField(false),
};

;// CONCATENATED MODULE: ./lib/action/volume-inputs.js

/** The inputs that give the machine a volume, by their names in action.yml. */
const VOLUME_INPUTS = {
    "volume-id": optionalNumberField({ min: 1, max: 999_999_999, whole: true, unit: "" }),
    "volume-create-new": booleanField(false),
    "volume-size": optionalNumberField({ min: 1, max: 65_536, unit: "GB" }),
    "volume-mount-path": textField({
        // The guards of a machine keep their files in /opt/ghr: they must not outlive it on a volume.
        pattern: /^(?!.*\/\.\.?(\/|$))(?!\/opt(\/ghr(\/|$)|$))(\/[A-Za-z0-9._-]{1,64}){1,16}$/,
        words: "an absolute path below /, such as /data, of letters, digits, dots, hyphens and underscores; neither /opt nor /opt/ghr, which the machine's own guards need",
    }),
};
/** The volume as a create asks for it, its inputs checked together; undefined without one. */
function volumeOf(inputs) {
    const { "volume-id": volume_id, "volume-size": size, "volume-mount-path": mount_path } = inputs;
    if (volume_id === undefined)
        return undefined;
    const isNew = inputs["volume-create-new"] && size !== undefined;
    return isNew ? { create_new: true, volume_id, size, mount_path } : { create_new: false, volume_id, mount_path };
}

;// CONCATENATED MODULE: ./lib/action/input-schema.js







const KEY = { pattern: /^[\x21-\x7e]+$/, words: "a key or token, without blanks" };
/** The inputs by their names. A repo test keeps them, action.yml and the README's table equal. */
const inputSchema = strictObject({
    "api-key": textField(KEY),
    "api-url": addressField("https://console.vast.ai"),
    "github-token": textField({ ...KEY, required: true }),
    "job-token": textField({ ...KEY, required: true }),
    name: textField({
        pattern: /^[a-z0-9]([a-z0-9.-]{0,22}[a-z0-9])?$/,
        words: "up to 24 small letters, digits, dots and hyphens, such as cuda12 or 3.11",
    }),
    "runner-scope": choiceField(["repo", "org"], "repo"),
    "runner-group-id": numberField({ min: 1, max: 999_999_999, whole: true, unit: "", fallback: "1" }),
    ...OFFER_INPUTS,
    ...PRICING_INPUTS,
    ...MACHINE_INPUTS,
    ...VOLUME_INPUTS,
    ...FLEET_INPUTS,
    ...END_INPUTS,
    "max-lifetime": durationField({ min: "1m", max: "24h", fallback: "2h" }),
    "idle-timeout": durationField({ min: "30s", max: "6h", fallback: "5m" }),
    "online-timeout": durationField({ min: "30s", max: "2h", fallback: "5m" }),
    "ready-timeout": durationField({ min: "1m", max: "6h", fallback: "25m" }),
    "search-timeout": durationField({ min: "0s", max: "6h", fallback: "10m" }),
    attempts: numberField({ min: 1, max: 20, whole: true, unit: "machines", fallback: "4" }),
    "max-cost": optionalNumberField({ min: 0.001, max: 100_000, unit: "USD" }),
    "min-credit": numberField({ min: 0, max: 1_000_000, unit: "USD", fallback: "0" }),
    "machines-per-repository": numberOrAutoField({ min: 1, max: 1000, whole: true, unit: "machines" }),
    history: textField({
        pattern: /^[^\p{Cc}\p{Cf}]{1,4096}$/u,
        words: "the path of a file in one line, such as .gpu-history.json",
    }),
    check: booleanField(false),
    ...JOB_INPUTS,
});
/** Decides `auto`: a volume is on one machine, and the repository's machines are at least ours. */
function decided(inputs) {
    const { machines: asked, "machines-per-repository": most } = inputs;
    const auto = AUTO_MACHINES[inputs["volume-id"] === undefined ? "usual" : "withVolume"];
    const machines = asked === "auto" ? auto : asked;
    const mostAlive = most === "auto" ? Math.max(AUTO_MACHINES.perRepository, machines) : most;
    return Object.freeze({ ...inputs, machines, "machines-per-repository": mostAlive });
}
/** Inputs that are secrets: masked as soon as they are read. */
const SECRET_INPUTS = new Set(["api-key", "github-token", "job-token", "image-login"]);
/** Inputs that no message shows: a part of a secret in an address would get past the mask. */
const HIDDEN_INPUTS = new Set([...SECRET_INPUTS, "api-url", "env", "setup", "probe"]);

;// CONCATENATED MODULE: ./lib/action/inputs.js







/**
 * Reads and checks inputs, all at once, secrets masked first: no fault can print them.
 * `consequence` tells in an error what it means for the bill; `together` finds faults of inputs
 * that are right one by one.
 */
function readWith(schema, consequence, together = () => []) {
    const given = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, getInput(name)]));
    for (const name of SECRET_INPUTS)
        maskSecret(given[name]);
    // A login may be shown in parts: its token alone is as secret as the whole.
    maskSecret(/-p\s+(\S+)/.exec(given["image-login"] ?? "")?.[1]);
    if (given["api-key"] === "")
        throw new NoSecretsError(consequence);
    const read = {};
    const alone = [];
    for (const [name, field] of Object.entries(schema.shape)) {
        const { data, error } = parse_safeParse(field, given[name]);
        if (error === undefined)
            read[name] = data;
        for (const { message } of error?.issues ?? [])
            alone.push({ name, wrong: message });
    }
    const faults = [...alone, ...together(read).filter(({ name }) => Object.hasOwn(read, name))];
    if (faults.length === 0)
        return Object.freeze(read);
    throw new InputError(faults.map(({ name, wrong }) => ({ name, line: describeFault(name, wrong, given) })), consequence);
}
/** All inputs. Throws FailFastError where a failed sibling would take running jobs' machines. */
function readInputs() {
    const read = readWith(inputSchema, "Nothing was rented.", crossFaults);
    const jobs = read["strategy-job-total"];
    if (read["strategy-fail-fast"] && jobs > 1)
        throw new FailFastError(jobs, "Nothing was rented.");
    return decided(read);
}
// Only what destroying needs: a token that expired meanwhile must not keep post from it.
const postSchema = inputSchema.pick({ "api-key": true, "api-url": true });
const RUN_INPUTS = [
    "github-token",
    "job-token",
    "name",
    "check",
    "runner-scope",
    "runner-group-id",
    "if-no-machine",
    "job-check-run-id",
    "job-status",
];
/** Reads them whatever else is wrong: a slip in `max-price` must not leave a job waiting. */
function readRunInputs() {
    for (const name of SECRET_INPUTS)
        maskSecret(getInput(name));
    const entries = RUN_INPUTS.map((name) => {
        const field = inputSchema.shape[name];
        return [name, field.safeParse(getInput(name)).data ?? field.safeParse("").data ?? ""];
    });
    const knowsLabel = inputSchema.shape.name.safeParse(getInput("name")).success;
    return Object.freeze({ ...Object.fromEntries(entries), knowsLabel });
}
/** The inputs of post. A fault here means that the machine can't be given back. */
function readPostInputs(prefix) {
    return readWith(postSchema, `Machines whose label begins with ${prefix} may still be billing: destroy them in the service's console.`);
}
function describeFault(name, wrong, given) {
    const value = given[name] ?? "";
    if (value === "")
        return `${name}: ${wrong}, nothing was given`;
    return `${name}: ${wrong}, given was ${HIDDEN_INPUTS.has(name) ? "something that is not shown" : `"${oneLine(value, 80)}"`}`;
}

;// CONCATENATED MODULE: ./lib/create/machine-record.js

const maybe = schemas_number().optional();
/** When a machine reached each stage, in milliseconds since the epoch. */
const stageTimesSchema = object({
    /** When the search that led to it began. */
    searched: maybe,
    /** When its single-use runner configuration was made, which does not keep for long. */
    minted: maybe,
    asked: schemas_number(),
    created: maybe,
    running: maybe,
    online: maybe,
    /** When it was first seen to be gone, or its destruction was confirmed. */
    gone: maybe,
});
/** A job that a machine ran. `conclusion` and `seconds` are undefined while it runs. */
const ranJobSchema = object({
    name: schemas_string(),
    conclusion: schemas_string().optional(),
    seconds: maybe,
    /** By GitHub, in milliseconds since the epoch. */
    started: maybe,
});
const estimateSchema = object({
    minutes: schemas_number(),
    machine: schemas_number(),
    bytes: object({ imageGb: maybe, runnerGb: schemas_number(), usd: maybe }),
    most: schemas_number(),
    holder: object({ usdPerMinute: schemas_number(), usd: schemas_number() }),
});
/** A machine's doings and costs, as main writes them down and post reads them. */
const machineRecordSchema = object({
    instanceId: schemas_number(),
    offer: object({ id: schemas_number(), machine_id: maybe, gpu_name: schemas_string(), num_gpus: schemas_number() }),
    /** USD per hour; `inetDown` and `inetUp` in USD per GB, where the offer tells them. */
    price: object({ total: schemas_number(), storage: schemas_number(), inetDown: maybe, inetUp: maybe }),
    at: stageTimesSchema,
    /** That there is none (any more) was confirmed: `at.gone` alone may be one list's mistake. */
    isGone: schemas_boolean().optional(),
    /** Bytes that were billed, as the service last showed, in GB. */
    traffic: object({ downGb: schemas_number(), upGb: schemas_number() }).optional(),
    /** The jobs that GitHub showed on it, in order; undefined: none. */
    jobs: array(ranJobSchema).optional(),
    /** It was given up, as no job needed it. */
    isUnneeded: schemas_boolean().optional(),
    /** When it gives itself back at the latest, in Unix seconds. */
    deadline: maybe,
    /** The most that it was thought to cost, before it was rented. */
    estimate: estimateSchema.optional(),
    /** The last state seen, in words; once it is gone, why. */
    last: schemas_string(),
});

;// CONCATENATED MODULE: ./lib/action/main-end.js






const WHAT = ["no-machine", "job-failed", "lost", "label-in-use", "bug", "other"];
/** Offers that somebody else had. */
const taken = { taken: schemas_number().default(0) };
const mainEndSchema = discriminatedUnion("kind", [
    /** The GPU job ran, and is over. */
    object({ kind: literal("over"), ...taken }),
    /** Main returned with the machine ready: later steps, or other jobs, use it. */
    object({ kind: literal("ready") }),
    /** Nobody asked for a machine. */
    object({ kind: literal("no-job"), message: schemas_string() }),
    object({
        kind: literal("failed"),
        what: schemas_enum(WHAT),
        message: schemas_string(),
        hint: schemas_string().optional(),
        ...taken,
    }),
    /** `check: true`: all was well, and nothing was to be rented. */
    object({ kind: literal("checked") }),
    /** SIGINT or SIGTERM: a cancel, or the step's timeout-minutes. */
    object({ kind: literal("stopped") }),
]);
const main_end_LONGEST = 1000;
/** Tells post how main ended. Without a word main was cut off. */
function noteEnd(end) {
    saveState("end", JSON.stringify(end));
}
/** Tells post why main failed, whatever was thrown. */
function noteFailure(error, taken) {
    noteEnd(error instanceof CancelledError ? { kind: "stopped" } : failureOf(error, taken));
}
function failureOf(error, taken) {
    if (!(error instanceof UserError)) {
        const what = error instanceof Error ? error.message : String(error);
        return {
            kind: "failed",
            what: "bug",
            taken,
            message: oneLine(`This is a bug of ephemeral-gpu-runner: ${what}`, main_end_LONGEST),
        };
    }
    const hint = error.hint === undefined ? {} : { hint: oneLine(error.hint, main_end_LONGEST) };
    return { kind: "failed", what: error.kind, taken, message: oneLine(error.message, main_end_LONGEST), ...hint };
}
/** The end that main wrote down; undefined when it could not. */
function readEnd() {
    return mainEndSchema.safeParse(parseJson(getState("end"))).data;
}

;// CONCATENATED MODULE: ./lib/action/ledger.js




/** Main's side: writes. */
const ledgerWriter = {
    prefix: (prefix) => saveState("prefix", prefix),
    runners: (n, runnerIds) => saveState(`runner_${n}`, runnerIds.join(",")),
    pending: (n, label) => saveState(`pending_${n}`, label),
    created: (n, instanceId) => saveState(`created_${n}`, instanceId),
    report: (n, report) => saveState(`report_${n}`, JSON.stringify(report)),
    cancelRun: () => saveState("cancel_run", "true"),
};
/** Post's side: reads what the platform hands over. */
function readLedger() {
    return {
        prefix: getState("prefix") || undefined,
        runners: numbered("runner", (text) => text
            .split(",")
            .map(Number)
            .filter((id) => id > 0)),
        pending: numbered("pending", String),
        created: numbered("created", (text) => (text === "none" ? "none" : Number(text) || undefined)),
        reports: numbered("report", readReport),
        cancelRun: getState("cancel_run") === "true",
        end: readEnd(),
    };
}
/** A report only tells; one that can't be read must not keep post from destroying. */
function readReport(text) {
    return machineRecordSchema.safeParse(parseJson(text)).data;
}
function numbered(kind, read) {
    const pattern = new RegExp(`^STATE_${kind}_(\\d+)$`);
    const entries = Object.entries(process.env).flatMap(([name, text]) => {
        const n = pattern.exec(name)?.[1];
        const value = text === undefined ? undefined : read(text);
        return n === undefined || value === undefined ? [] : [[Number(n), value]];
    });
    return new Map(entries.sort(([left], [right]) => left - right));
}

;// CONCATENATED MODULE: ./node_modules/zod/v4/classic/coerce.js


function coerce_string(params) {
    return core._coercedString(schemas.ZodString, params);
}
function coerce_number(params) {
    return _coercedNumber(ZodNumber, params);
}
function coerce_boolean(params) {
    return core._coercedBoolean(schemas.ZodBoolean, params);
}
function coerce_bigint(params) {
    return core._coercedBigint(schemas.ZodBigInt, params);
}
function coerce_date(params) {
    return core._coercedDate(schemas.ZodDate, params);
}

;// CONCATENATED MODULE: ./lib/action/run-context.js


/** This is not a step of a workflow, or the platform left out what we cannot do without. */
class PlatformError extends UserError {
    name = "PlatformError";
    constructor(missing) {
        super(`The platform did not set ${missing.join(", ")}.`, {
            hint: "Run this as a step of a GitHub Actions workflow.",
        });
    }
}
const wholeNumber = coerce_number().int().positive();
const schema = object({
    GITHUB_REPOSITORY: schemas_string().regex(/^[^/\s]+\/[^/\s]+$/),
    GITHUB_RUN_ID: wholeNumber,
    GITHUB_RUN_ATTEMPT: preprocess((value) => value || "1", wholeNumber),
    GITHUB_JOB: schemas_string().min(1),
    GITHUB_REPOSITORY_ID: preprocess((value) => value || undefined, wholeNumber.optional()),
    GITHUB_API_URL: preprocess((value) => value || "https://api.github.com", url()),
    GITHUB_SERVER_URL: preprocess((value) => value || "https://github.com", url()),
    RUNNER_NAME: schemas_string().optional(),
});
/** Reads the platform's variables, once. `name` is that of this use, empty when it has none. */
function readRunContext(name = "") {
    const read = schema.safeParse(process.env);
    if (!read.success)
        throw new PlatformError([...new Set(read.error.issues.map((issue) => String(issue.path[0])))]);
    const env = read.data;
    const [owner = "", repo = ""] = env.GITHUB_REPOSITORY.split("/");
    return {
        owner,
        repo,
        repositoryId: env.GITHUB_REPOSITORY_ID,
        runId: env.GITHUB_RUN_ID,
        attempt: env.GITHUB_RUN_ATTEMPT,
        jobName: env.GITHUB_JOB,
        runnerName: env.RUNNER_NAME || undefined,
        apiUrl: env.GITHUB_API_URL,
        serverUrl: env.GITHUB_SERVER_URL,
        runnerLabel: ["gpu", env.GITHUB_RUN_ID, env.GITHUB_RUN_ATTEMPT, ...(name ? [name] : [])].join("-"),
    };
}

;// CONCATENATED MODULE: ./lib/fleet/state/billing.js


/** A sentence on what may still bill. Undefined: nothing could be rented yet. */
function billingOf(fleet) {
    if (fleet === undefined)
        return NOTHING_RENTED;
    const { machines } = fleet;
    const alive = machines.filter(isAlive).flatMap(({ instanceId }) => (instanceId === undefined ? [] : [instanceId]));
    const several = `Instances ${alive.join(", ")} are given back now.`;
    const known = alive.length > 0 ? [alive.length === 1 ? `Instance ${alive[0]} is given back now.` : several] : [];
    if (!isSure(fleet))
        return [...known, MAY_TURN_UP].join(" ");
    return known[0] ?? (machines.length > 0 ? NOTHING_LEFT : NOTHING_RENTED);
}
/** Only a list that was read after the last create can say that nothing came of it. */
function isSure({ machines, strays, instancesAt }) {
    const isAsking = machines.some(({ instanceId, goneAt }) => instanceId === undefined && goneAt === undefined);
    const open = strays.filter(({ n }) => !machines.some((machine) => machine.n === n));
    const areSure = open.every(({ isListed, isUncertain, since }) => {
        const wasRead = isListed || (instancesAt !== undefined && instancesAt > since);
        return !isUncertain && wasRead;
    });
    return !isAsking && areSure;
}

;// CONCATENATED MODULE: ./lib/teardown/destroy-use.js




/** Between looks at the list: while destructions run, and when they are over and some are left. */
const LOOK_PAUSE_MS = { running: 15_000, over: 5000 };
/** A create without an answer may come true so late. SPEC-SILENT: no figure is named. */
const destroy_use_UNCERTAIN_LOOKS_MS = [0, 2000, 5000, 10_000, 20_000, 40_000];
/**
 * Destroys every instance of a use: the known ones first, in their order, and beside them whatever
 * carries the prefix, until a look finds none. After an uncertain create it goes on looking for 40
 * s, because a fresh instance may be listed late.
 */
async function destroyUse(destroying, remains) {
    const destructions = new Destructions(destroying);
    for (const doomed of remains.known)
        destructions.start(doomed);
    const listed = await lookUntilClean(destroying, remains, destructions);
    const { destroyed, undestroyed, goneAt } = await destructions.outcome();
    const isNamed = undestroyed.length > 0 && listed !== "unknown";
    if (listed !== "clean" && !isNamed)
        undestroyed.push(`whatever is labelled ${remains.prefix}.…`);
    return { destroyed, undestroyed, goneAt, shown: destructions.shown };
}
async function lookUntilClean(destroying, { prefix, isUncertain }, destructions) {
    const { clock, until } = destroying;
    const start = clock.now();
    const moments = (isUncertain ? destroy_use_UNCERTAIN_LOOKS_MS : [0]).map((moment) => start + moment);
    for (moments.shift();; moments.shift()) {
        const listed = await listAndDestroy(destroying, prefix, destructions);
        const isSettled = moments.length === 0;
        if (isSettled && listed === "clean")
            return listed;
        if (clock.now() >= until)
            return isSettled ? listed : "unknown";
        await destructions.pause(moments[0]);
    }
}
async function listAndDestroy(destroying, prefix, destructions) {
    const ours = await listOurs(destroying, prefix);
    if (ours === undefined)
        return "unknown";
    // A listed instance is visible: it need not be a minute old for "there is none" to count.
    for (const { id } of ours)
        destructions.start({ id, createdAt: 0 });
    destructions.shown.push(...ours);
    return ours.length === 0 && destructions.areOver ? "clean" : "some";
}
/** Destructions, one an instance: a stubborn one keeps neither the others nor the looks waiting. */
class Destructions {
    #destroying;
    #all = new Map();
    shown = [];
    constructor(destroying) {
        this.#destroying = destroying;
    }
    /** Again, too, for one that counted as gone and is listed: two answers may differ. */
    start(doomed) {
        const before = this.#all.get(doomed.id);
        if (before !== undefined && !this.#isShownTooLong(before))
            return;
        const destruction = { doomed, state: "running", end: Promise.resolve() };
        destruction.end = this.#destroy(destruction, before?.state === "destroyed");
        this.#all.set(doomed.id, destruction);
    }
    /** A list may be late by a moment. */
    #isShownTooLong({ goneAt }) {
        return goneAt !== undefined && this.#destroying.clock.now() - goneAt >= LOOK_PAUSE_MS.over;
    }
    /** True when none of them is under way. */
    get areOver() {
        return this.#in("running").length === 0;
    }
    /**
     * Waits for the next look: until `moment`, in milliseconds since the epoch, or without one until
     * it is worth its request, which is at their end while they run.
     */
    async pause(moment) {
        const { clock, signal, until } = this.#destroying;
        const enough = new AbortController();
        const either = signal ? AbortSignal.any([signal, enough.signal]) : enough.signal;
        const at = moment ?? clock.now() + LOOK_PAUSE_MS[this.areOver ? "over" : "running"];
        const wait = clock.sleep(Math.min(at, until) - clock.now(), either);
        if (moment !== undefined || this.areOver)
            return await wait;
        const isOver = Promise.all([...this.#all.values()].map(({ end }) => end)).then(() => enough.abort());
        await Promise.race([isOver, wait]);
        // Its own end is no fault.
        await wait.catch((reason) => {
            if (!enough.signal.aborted)
                throw reason;
        });
    }
    async outcome() {
        await Promise.all([...this.#all.values()].map(({ end }) => end));
        const ends = [...this.#all.values()].flatMap(({ doomed, goneAt }) => goneAt === undefined ? [] : [[doomed.id, goneAt]]);
        const destroyed = this.#in("destroyed").map(({ doomed }) => doomed.id);
        const undestroyed = this.#in("refused").map(({ doomed }) => `instance ${doomed.id}`);
        return { destroyed, undestroyed, goneAt: new Map(ends) };
    }
    #in(state) {
        return [...this.#all.values()].filter((destruction) => destruction.state === state);
    }
    async #destroy(destruction, wasOurs) {
        const { clock, log, signal } = this.#destroying;
        const { id } = destruction.doomed;
        try {
            const how = await destroyInstance(this.#destroying, destruction.doomed);
            destruction.state = wasOurs ? "destroyed" : how;
            destruction.goneAt = clock.now();
            log.info(`Instance ${id} ${destruction.state === "destroyed" ? "is destroyed" : "had given itself back"}.`);
        }
        catch (error) {
            // Whatever went wrong, it may still bill: that is what counts, and post names it.
            destruction.state = "refused";
            if (!(error instanceof InstanceNotDestroyedError || signal?.aborted))
                log.warning(`Instance ${id}: ${error}`);
        }
    }
}
/** Undefined: the list could not be read. */
async function listOurs({ log, service, signal }, prefix) {
    try {
        const instances = await service.listInstances(signal);
        return instances.filter((instance) => hasPrefix(instance.label, prefix));
    }
    catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof UserError))
            throw error;
        log.info(`The instances could not be listed: ${error.message}`);
        return undefined;
    }
}

;// CONCATENATED MODULE: ./lib/github/job-names.js

const job_names_MOST_NAMES = 6;
/** Jobs by name, for a sentence: `'test (1)', 'test (2)' and 10 more`. Empty for none. */
function jobNames(jobs) {
    const named = jobs.slice(0, job_names_MOST_NAMES).map(({ name }) => `'${oneLine(name, 100)}'`);
    const all = jobs.length > job_names_MOST_NAMES ? [...named, `${jobs.length - job_names_MOST_NAMES} more`] : named;
    const last = all.at(-1) ?? "";
    return all.length < 2 ? last : `${all.slice(0, -1).join(", ")} and ${last}`;
}

;// CONCATENATED MODULE: ./lib/teardown/decide-leaving.js
/** Time for the run's other jobs: they are worth more than an hour of a waiting one. */
const OTHERS_MAY_TAKE_MS = 1_800_000;
/** So long GitHub may be away; after that the sweep has to see to the job. */
const OUTAGE_MAY_TAKE_MS = 600_000;
/** DESIGN, `if-no-machine`: the fate of jobs without a machine. Two looks must say "cancel". */
function decideLeaving({ ifNoMachine, jobs, waitedMs }) {
    if (ifNoMachine === "leave" || ifNoMachine === "fail-jobs")
        return "leave";
    // A doubt is no evidence; but it must not keep this job for ever either.
    if (jobs === undefined)
        return waitedMs < OUTAGE_MAY_TAKE_MS ? "wait" : "leave";
    if (has(jobs, "running") || !has(jobs, "waiting"))
        return "leave";
    if (ifNoMachine === "cancel" || isNothingElseOpen(jobs))
        return "cancel";
    return waitedMs < OTHERS_MAY_TAKE_MS ? "wait" : "leave";
}
function has({ ours }, state) {
    return ours.some((job) => job.state === state);
}
function isNothingElseOpen(jobs) {
    return jobs.othersOpen.length === 0 && !has(jobs, "held");
}

;// CONCATENATED MODULE: ./lib/teardown/wait-for-others.js




/** GitHub's list lags by seconds: what costs a run must be seen twice, this far apart. */
const wait_for_others_LOOKS_APART_MS = 15_000;
/**
 * After a failure: waits for the other jobs of the attempt to be over, so that a cancel of the run
 * takes nothing from them.
 */
async function waitForOthers(wait) {
    const { clock, ifNoMachine, listJobs, signal, whose } = wait;
    const start = clock.now();
    const told = new Set();
    for (let since = Number.POSITIVE_INFINITY;;) {
        const listed = await listJobs(signal);
        const jobs = listed && sortJobs(listed, whose);
        if (!(await wait.giveBack(jobs)))
            return "leave";
        const decision = decideLeaving({ ifNoMachine, jobs, waitedMs: clock.now() - start });
        if (decision === "leave")
            return tellLeft(wait, jobs);
        since = decision === "cancel" ? Math.min(since, clock.now()) : Number.POSITIVE_INFINITY;
        if (clock.now() - since >= wait_for_others_LOOKS_APART_MS)
            return "cancel";
        tellWaiting(wait, jobs, decision, told);
        await clock.sleep(wait_for_others_LOOKS_APART_MS, signal);
    }
}
function tellLeft({ ifNoMachine, log }, jobs) {
    const waiting = jobs?.ours.filter(({ state }) => state === "waiting") ?? [];
    if (waiting.length > 0 && ifNoMachine === "auto")
        log.warning(`No machine can be had for ${jobNames(waiting)}, and other jobs of this run are open: the sweep ends the run when they are over.`);
    return "leave";
}
function tellWaiting({ log }, jobs, decision, told) {
    if (jobs === undefined || told.size > 0)
        return;
    told.add("waits");
    const waiting = jobs.ours.filter(({ state }) => state === "waiting");
    const where = waiting[0]?.url;
    log.warning(`No machine can be had for ${jobNames(waiting)}${where ? ` (${where})` : ""}. Nothing is rented. The run will be cancelled${decision === "wait" ? whenOf(jobs) : ""}.`);
}
/** One of ours that waits for an approval is open, too. */
function whenOf({ ours, othersOpen }) {
    const open = othersOpen.length + ours.filter(({ state }) => state === "held").length;
    const which = open === 1 ? "its other open job is" : `its ${open} other open jobs are`;
    return ` when ${which} over; after ${formatDuration(OTHERS_MAY_TAKE_MS)} that is left to the sweep`;
}

;// CONCATENATED MODULE: ./lib/teardown/whose.js
/** Tells this use's jobs and this very job from the others. Without a prefix no runner is ours. */
function whoseOf(run, checkRunId, runnerNamePrefix = "\n") {
    const own = { checkRunId: Number(checkRunId) || undefined, runnerName: run.runnerName, jobName: run.jobName };
    return { runnerLabel: run.runnerLabel, runnerNamePrefix, own };
}

;// CONCATENATED MODULE: ./lib/teardown/fail-in-order.js
var fail_in_order_addDisposableResource = (undefined && undefined.__addDisposableResource) || function (env, value, async) {
    if (value !== null && value !== void 0) {
        if (typeof value !== "object" && typeof value !== "function") throw new TypeError("Object expected.");
        var dispose, inner;
        if (async) {
            if (!Symbol.asyncDispose) throw new TypeError("Symbol.asyncDispose is not defined.");
            dispose = value[Symbol.asyncDispose];
        }
        if (dispose === void 0) {
            if (!Symbol.dispose) throw new TypeError("Symbol.dispose is not defined.");
            dispose = value[Symbol.dispose];
            if (async) inner = dispose;
        }
        if (typeof dispose !== "function") throw new TypeError("Object not disposable.");
        if (inner) dispose = function() { try { inner.call(this); } catch (e) { return Promise.reject(e); } };
        env.stack.push({ value: value, dispose: dispose, async: async });
    }
    else if (async) {
        env.stack.push({ async: true });
    }
    return value;
};
var fail_in_order_disposeResources = (undefined && undefined.__disposeResources) || (function (SuppressedError) {
    return function (env) {
        function fail(e) {
            env.error = env.hasError ? new SuppressedError(e, env.error, "An error was suppressed during disposal.") : e;
            env.hasError = true;
        }
        var r, s = 0;
        function next() {
            while (r = env.stack.pop()) {
                try {
                    if (!r.async && s === 1) return s = 0, env.stack.push(r), Promise.resolve().then(next);
                    if (r.dispose) {
                        var result = r.dispose.call(r.value);
                        if (r.async) return s |= 2, Promise.resolve(result).then(next, function(e) { fail(e); return next(); });
                    }
                    else s |= 1;
                }
                catch (e) {
                    fail(e);
                }
            }
            if (s === 1) return env.hasError ? Promise.reject(env.error) : Promise.resolve();
            if (env.hasError) throw env.error;
        }
        return next();
    };
})(typeof SuppressedError === "function" ? SuppressedError : function (error, suppressed, message) {
    var e = new Error(message);
    return e.name = "SuppressedError", e.error = error, e.suppressed = suppressed, e;
});















/** How long main may take to give back what a failure left rented; what is left then is post's. */
const GIVE_BACK_WITHIN_MS = 90_000;
/**
 * Main has failed: tells it at once, gives back what is rented, and then, if a GPU job is left
 * waiting, waits for the other jobs of the run, so that post may cancel the run. A cancelled step
 * ends at once.
 */
async function failInOrder(error, progress, signal) {
    reportFailure(error, billingOf(progress.use?.fleet));
    noteFailure(error, progress.use?.fleet.taken.length ?? 0);
    const inputs = readRunInputs();
    if (signal.aborted || !fail_in_order_isOurs(error, inputs) || inputs["job-token"] === "" || !inputs.knowsLabel)
        return;
    try {
        if ((await waitForEnd(inputs, progress, signal)) === "cancel")
            ledgerWriter.cancelRun();
    }
    catch (fault) {
        // The failure is told; why nothing more could be done about the waiting job, post finds out and
        // tells.
        if (!signal.aborted && !(fault instanceof UserError))
            throw fault;
    }
}
/**
 * A check rents for nobody, and another use serves the jobs of a label in use: it is for that one
 * to say what becomes of them.
 */
function fail_in_order_isOurs(error, { check }) {
    return !check && !(error instanceof UserError && error.kind === "label-in-use");
}
function waitForEnd(inputs, { use }, signal) {
    const run = readRunContext(inputs.name);
    const { jobs } = openGithub(inputs, run);
    const whose = whoseOf(run, inputs["job-check-run-id"], use?.runnerNamePrefix);
    return waitForOthers({
        ifNoMachine: inputs["if-no-machine"],
        clock: systemClock,
        log: actionsLog,
        signal,
        whose,
        listJobs: (stop) => jobsOrUndefined(jobs, stop),
        giveBack: (seen) => giveBack(use, seen, signal),
    });
}
/** True when nothing of this use is rented any more. A machine with a busy runner is kept. */
async function giveBack(use, jobs, signal) {
    if (use === undefined || use.isGivenBack)
        return true;
    const alive = use.fleet.machines.filter(isAlive);
    if (alive.length === 0 && use.fleet.strays.length === 0)
        return true;
    // A job may run on one: nobody can say.
    if (jobs === undefined || (await isAnyBusy(use, alive, signal)))
        return false;
    use.isGivenBack = await destroyAll(use, alive, signal);
    return use.isGivenBack;
}
async function isAnyBusy({ runners }, machines, signal) {
    for (const { runnerId } of machines.flatMap(({ uses }) => uses))
        if ((await runners.remove(runnerId, signal)) === "busy")
            return true;
    return false;
}
async function destroyAll(use, alive, signal) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const room = fail_in_order_addDisposableResource(env_1, openService(readInputs()), true);
        const known = alive.flatMap(({ instanceId: id, createdAt }) => (id === undefined ? [] : [{ id, createdAt }]));
        const destroying = { ...room, until: systemClock.now() + GIVE_BACK_WITHIN_MS, signal };
        // A create that counts as not carried out may still come true: nobody says "nothing" before.
        const isUncertain = use.fleet.strays.some((stray) => stray.isUncertain);
        const { undestroyed, goneAt } = await room.log.stage("Destroy the machines", () => destroyUse(destroying, { prefix: use.prefix, known, isUncertain }));
        signal.throwIfAborted();
        for (const { n, instanceId, report } of alive) {
            const gone = goneAt?.get(instanceId ?? Number.NaN);
            if (report === undefined || gone === undefined)
                continue;
            report.at.gone = gone;
            report.isGone = true;
            report.last = `destroyed when the step failed (${report.last})`;
            use.ledger.report(n, report);
        }
        return undestroyed.length === 0;
    }
    catch (e_1) {
        env_1.error = e_1;
        env_1.hasError = true;
    }
    finally {
        const result_1 = fail_in_order_disposeResources(env_1);
        if (result_1)
            await result_1;
    }
}

;// CONCATENATED MODULE: ./lib/market/volume-place.js



/**
 * The machine that a volume, or the room for a new one, is on. Undefined: the service of the
 * specification's letter does not tell. Throws VolumeUnknownError when there is no such volume.
 */
async function volumeMachine(asking, volume) {
    if (volume === undefined)
        return undefined;
    try {
        return volume.create_new ? await placeOfNew(asking, volume) : await placeOfExisting(asking, volume.volume_id);
    }
    catch (error) {
        if (!(error instanceof NotFoundError))
            throw error;
        return untold(asking.log);
    }
}
function untold(log) {
    log.warning("The service does not tell where the volume is, so any machine may be asked for it.");
}
async function placeOfExisting({ service, log, signal }, id) {
    const volume = (await service.listVolumes(signal)).find((each) => each.id === id);
    if (volume === undefined)
        throw new VolumeUnknownError(`The account has no volume ${id}.`);
    if (volume.machine_id === undefined)
        return untold(log);
    log.info(`Volume ${id} is on machine ${volume.machine_id}: only that one can have it.`);
    return volume.machine_id;
}
async function placeOfNew({ log, ...asking }, { volume_id, size }) {
    const offer = await findOffer(asking, volume_id);
    if (offer === undefined)
        throw new VolumeUnknownError(`The service has no volume offer ${volume_id}.`);
    const perMonth = offer.storage_cost === undefined ? "its price" : formatPrice(offer.storage_cost * size);
    log.warning(`A volume of ${size} GB will be made on machine ${offer.machine_id ?? "unknown"}. It outlives this run and bills ${perMonth} a month until you delete it in the service's console; in later runs link it by its own volume-id.`);
    return offer.machine_id;
}
/** SPEC-SILENT: which the search takes. One was seen to find nothing; an unknown one is refused. */
const ID_NAMES = ["id", "ask_contract_id"];
/** The answer is looked through again: the filter need not have been applied. */
async function findOffer({ service, signal }, id) {
    const refusals = [];
    for (const name of ID_NAMES) {
        try {
            const offers = await service.searchVolumes({ [name]: { eq: id } }, signal);
            const found = offers.find((each) => each.id === id);
            if (found !== undefined)
                return found;
        }
        catch (error) {
            if (!(error instanceof RequestRejectedError) || error.status !== 400)
                throw error;
            refusals.push(error);
        }
    }
    if (refusals.length === ID_NAMES.length)
        throw refusals[0];
    return undefined;
}

;// CONCATENATED MODULE: ./lib/report/write-summary.js

/** Adds to the job's summary. A failure is only told; other platforms may have none. */
async function writeSummary(log, markdown) {
    if (!process.env.GITHUB_STEP_SUMMARY)
        return;
    try {
        await summary.addRaw(markdown).write();
    }
    catch (error) {
        log.warning(`The job summary could not be written: ${error instanceof Error ? error.message : error}`);
    }
}

;// CONCATENATED MODULE: ./lib/action/check-permissions.js


const check_permissions_WHAT = "api-key may create and destroy (instance_write)";
/**
 * The permissions of the key, where the service shows them: the current user tells its id. Else a
 * note: creating and destroying are one permission, which only a real create would prove.
 */
async function checkPermissions({ service }, user, list, signal) {
    const permissions = await permissionsOfKey(service, user, signal);
    if (permissions === undefined)
        return list.note(check_permissions_WHAT, "not asked: it would take a real machine");
    const words = `its permissions are ${permissions.join(", ") || "none"}`;
    await list.check(check_permissions_WHAT, async () => {
        if (!permissions.includes("instance_write"))
            list.fail(`${words}; instance_write is missing`, "Give the key instance_write, or make one that has it; the README lists what it needs.");
        return words;
    });
}
/** Best effort: it only saves a surprise. */
async function permissionsOfKey(service, user, signal) {
    if (user?.key_id === undefined)
        return undefined;
    try {
        return permissionsOf(await service.getApiKey(user.key_id, signal));
    }
    catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof UserError))
            throw error;
        return undefined;
    }
}

;// CONCATENATED MODULE: ./lib/action/check-summary.js






/** Time to pull the image and cost until the deadline, for a machine made of this offer. */
function offerLine(candidate, plan, imageBytes) {
    const { expected, offer, price } = candidate;
    const { most, minutes } = plan.estimate;
    const pull = imageBytes === undefined ? "the image's size is not known" : describePull(imageBytes, offer);
    const cost = `${formatPrice(most)} at most, if used for all of its ${minutes} minutes`;
    const likely = expected === undefined ? "" : describeExpectedCost(expected.cost);
    return {
        text: `  ${describeOffer(offer)}: ${formatPrice(price.total)} per hour; ${pull}; ${likely}; ${cost}`,
        cells: [
            String(offer.id),
            `${offer.num_gpus} × ${offer.gpu_name}`,
            String(offer.machine_id ?? "unknown"),
            formatPrice(price.total),
            pull,
            likely,
            cost,
        ],
    };
}
const MOST_ROWS = 20;
const SIGNS = { ok: "✅", failed: "❌", unknown: "➖" };
/** The job summary of a check, in Markdown. */
function checkSummary(results, offers) {
    const answers = results.map(({ what, state, answer }) => [SIGNS[state], ...[what, answer].map(harmless)]);
    const rows = offers.slice(0, MOST_ROWS).map(({ cells }) => cells.map(harmless));
    return [
        "### GPU machine: check, nothing was rented",
        "",
        ...markdownTable([["", "asked", "answer"], ...answers]),
        "",
        ...markdownTable([OFFER_TITLES, ...rows]),
        ...(offers.length > MOST_ROWS ? ["", `… and ${offers.length - MOST_ROWS} more.`] : []),
        "",
    ].join("\n");
}
const OFFER_TITLES = ["offer", "GPU", "machine", "price per hour", "pull", "expected for a job of 5 min", "at most"];
// Not handed on as it is: an index as second argument would be its length.
const harmless = (cell) => withoutMarkdown(cell);

;// CONCATENATED MODULE: ./lib/action/checklist.js

/** `check: true` found something that would keep a rental from working. */
class CheckFailedError extends UserError {
    name = "CheckFailedError";
    constructor(failed, hints) {
        const count = failed.length === 1 ? "One check failed" : `${failed.length} checks failed`;
        const lines = failed.map(({ what, answer }) => `- ${what}: ${answer}`);
        const hint = [...new Set(hints)].join(" ") || "Correct what the lines say, and check again.";
        super(`${count}. Nothing was rented.\n${lines.join("\n")}`, { hint });
    }
}
/** Thrown by a check when the answer itself is the fault. */
class Failure extends UserError {
}
/** Asks one thing after the other, whatever the others said. */
class Checklist {
    results = [];
    #log;
    #hints = [];
    constructor(log) {
        this.#log = log;
    }
    /** Asks for a few words for the log. A UserError is the answer "no"; other errors are bugs. */
    async check(what, ask) {
        try {
            this.#add({ what, state: "ok", answer: await ask() });
        }
        catch (error) {
            if (!(error instanceof UserError))
                throw error;
            if (error.hint !== undefined)
                this.#hints.push(error.hint);
            this.#add({ what, state: "failed", answer: error.message });
        }
    }
    /** To be called in a check: the answer that was had is the fault. */
    fail(answer, hint) {
        throw new Failure(answer, { hint });
    }
    /** Something that can't be asked. */
    note(what, answer) {
        this.#add({ what, state: "unknown", answer });
    }
    throwIfAnyFailed() {
        const failed = this.results.filter(({ state }) => state === "failed");
        if (failed.length > 0)
            throw new CheckFailedError(failed, this.#hints);
        this.#log.info("All that can be asked without renting is well. Nothing was rented.");
    }
    #add(result) {
        this.results.push(result);
        this.#log.info(`${WORDS[result.state]} ${result.what}: ${result.answer}`);
    }
}
const WORDS = { ok: "ok ", failed: "NO ", unknown: "?  " };

;// CONCATENATED MODULE: ./lib/machine-script/env-too-long-error.js

/** A machine's variables are more than the service takes; nothing was rented. */
class EnvTooLongError extends UserError {
    name = "EnvTooLongError";
    input;
    /**
     * @param input the one that takes the most.
     * @param allowed what is allowed of it while the others stay, as the end of a sentence.
     */
    constructor(input, allowed, sizes) {
        const most = `The machine's variables have ${sizes.length} characters when packed; the service takes at most ${sizes.limit}.`;
        super(`${most} ${input} takes most of what is yours: allowed is ${allowed}. Nothing was rented.`, {
            hint: "Shorten env and setup: bring what is long in the image, or fetch it in setup. Or lower jobs-per-machine.",
        });
        this.input = input;
    }
}

;// CONCATENATED MODULE: ./lib/machine-script/fitting-env.js

/** Documented, not in the seed: the most characters for `env` in a create, as JSON. */
const ENV_LIMIT = 32_768;
/** A runner configuration has about 4,100, more for long names of owner, repository, runner. */
const JIT_CHARACTERS = 4800;
/** Stands for the runner configurations made later: one for each job of a machine. */
function jitPlaceholders(jobsPerMachine) {
    return Array.from({ length: jobsPerMachine }, () => "x".repeat(JIT_CHARACTERS));
}
/** Returns the variables, or throws EnvTooLongError where the service would not take them. */
function fittingEnv(env) {
    const { length } = JSON.stringify(env);
    if (length <= ENV_LIMIT)
        return env;
    const sizes = sizesOf(env);
    const [input, size] = Object.entries(sizes).reduce((most, next) => (next[1] > most[1] ? next : most));
    const left = size - (length - ENV_LIMIT);
    const allowed = input === "jobs-per-machine" ? mostJobs(env, left) : charactersLeft(left, input);
    throw new EnvTooLongError(input, allowed, { length, limit: ENV_LIMIT });
}
/** Characters of each input's variables. The first configuration is there whatever the inputs. */
function sizesOf(env) {
    const sizes = { "jobs-per-machine": 0, env: 0, setup: 0, probe: 0 };
    for (const [name, value] of Object.entries(env)) {
        const input = inputOf(name);
        // With the colon and the comma.
        if (input !== undefined)
            sizes[input] += JSON.stringify(name).length + JSON.stringify(value).length + 2;
    }
    return sizes;
}
function inputOf(name) {
    if (name.startsWith("GHR_JIT_"))
        return "jobs-per-machine";
    if (name === "GHR_SETUP")
        return "setup";
    if (name === "GHR_PROBE")
        return "probe";
    return name.startsWith("GHR_") ? undefined : "env";
}
function mostJobs(env, left) {
    const further = Object.keys(env).filter((name) => inputOf(name) === "jobs-per-machine").length;
    const one = sizesOf(env)["jobs-per-machine"] / further;
    return `at most ${1 + Math.max(0, Math.floor(left / one))}`;
}
function charactersLeft(left, input) {
    const packed = input === "env" ? "" : " when packed";
    return left > 0
        ? `at most ${left} characters${packed} beside the others`
        : "none beside the others, which are too long, too";
}

;// CONCATENATED MODULE: ./lib/market/template-filter.js


/**
 * Merges a template's `extra_filters` in by field: what the wishes or their own filter say of a
 * field wins (seed, Create rule 3).
 */
function withTemplateFilter(wishes, template) {
    const asked = offerQuery({ ...wishes, filter: {} }).filters;
    const own = Object.entries(template).filter(([field]) => !Object.hasOwn(asked, field) && !isHeld(field));
    return { ...wishes, filter: { ...Object.fromEntries(own), ...wishes.filter } };
}

;// CONCATENATED MODULE: ./lib/action/known-image.js
/** The image as sent: without tag or digest the service fails, so `:latest` is added. */
function fullImage(image) {
    return image === "" || /@sha256:|:[^/]+$/.test(image) ? image : `${image}:latest`;
}
/** The image that the machine will run: the input's, else the template's; empty when unknown. */
function knownImage({ image, template }) {
    return image || template?.image || "";
}

;// CONCATENATED MODULE: ./lib/action/wishes-of-inputs.js


/** Mbit/s that `auto` asks for: a usual image takes some minutes, a devel one not many more. */
const INET_DOWN = { usual: 200, devel: 400 };
/** The inputs as wishes for an offer. The tag of the image, a template's too, decides `auto`. */
function wishesOf(inputs, durationSeconds, machine) {
    const image = knownImage(inputs);
    const { disk, "min-cuda": cuda, "min-inet-down-mbps": inetDown } = inputs;
    return {
        gpuNames: inputs["gpu-name"],
        numGpus: inputs["num-gpus"],
        maxPrice: inputs["max-price"],
        minReliability: inputs["min-reliability"],
        diskGb: disk,
        durationSeconds,
        minGpuRamGb: inputs["min-gpu-ram-gb"],
        minComputeCap: inputs["min-compute-cap"],
        minCuda: cuda === "auto" ? (cudaOfImage(image) ?? 0) : cuda,
        minCpuCores: inputs["min-cpu-cores"],
        minCpuRamGb: inputs["min-cpu-ram-gb"],
        minInetDownMbps: inetDown === "auto" ? INET_DOWN[isDevelImage(image) ? "devel" : "usual"] : inetDown,
        countries: inputs.geolocation,
        needsDatacenter: inputs.datacenter,
        filter: inputs["offer-filter"],
        excludedMachines: inputs["exclude-machines"],
        order: inputs.order,
        bid: inputs.pricing === "bid" ? { price: inputs["bid-price"] } : undefined,
        machine,
    };
}

;// CONCATENATED MODULE: ./lib/action/fleet-request.js













/** GitHub's limit for a runner's name. */
const MOST_RUNNER_NAME = 64;
/** The longest end of a runner's name: the use, the number of the create, that of the runner. */
const LONGEST_RUNNER_MARK = "-abcdef-999-4";
/** Throws before renting where GitHub would refuse a runner's name, made of run and `name`. */
function checkRunnerNames({ runnerLabel }, name) {
    const length = runnerLabel.length + LONGEST_RUNNER_MARK.length;
    if (length <= MOST_RUNNER_NAME)
        return;
    const less = `allowed is one that is shorter by ${length - MOST_RUNNER_NAME} characters`;
    const line = `name: makes runner names of ${length} characters, ${less}, given was "${name}"`;
    throw new InputError([{ name: "name", line }], NOTHING_RENTED);
}
/** The inputs as demands on the market and on each machine. */
function fleetRequest(inputs, run, use) {
    checkRunnerNames(run, inputs.name);
    const image = imageFacts(inputs, use.imageBytes);
    const limits = limitsOf(inputs);
    const jobsPerMachine = inputs["jobs-per-machine"];
    const env = (machine) => machineEnv(inputs, run, { ...machine, limits, download: use.download });
    fittingEnv(env({ jitConfigs: jitPlaceholders(jobsPerMachine), deadline: 9_999_999_999, uptimeMs: 0 }));
    return {
        prefix: use.prefix,
        runnerNamePrefix: use.runnerNamePrefix,
        offer: withTemplateFilter(wishesOf(inputs, neededDurationSeconds(limits), use.machine), inputs.template?.filter ?? {}),
        instance: instanceWishes(inputs),
        image,
        limits,
        jobsPerMachine,
        onstart: ONSTART,
        env,
        money: { maxCost: inputs["max-cost"], credit: use.credit },
        setupMs: setupMsOf(inputs),
        leastMs: leastMs(limits),
    };
}
function instanceWishes(inputs) {
    return {
        image: fullImage(inputs.image) || undefined,
        imageLogin: inputs["image-login"] || undefined,
        templateHashId: inputs["template-hash-id"] || undefined,
        runtype: inputs.runtype,
        diskGb: inputs.disk,
        volume: volumeOf(inputs),
    };
}
function imageFacts(inputs, bytes) {
    const image = fullImage(knownImage(inputs));
    const name = image || inputs["template-hash-id"];
    return { name, bytes, isDevel: isDevelImage(image), decidesBoot: inputs["boot-timeout"] === "auto" };
}
function setupMsOf(inputs) {
    return inputs.setup === "" ? 0 : inputs["setup-timeout"];
}
/** How long the stages of a machine may take, by the inputs. */
function limitsOf(inputs) {
    const setupMs = setupMsOf(inputs);
    // The user's own lines are not the market's fault: their time counts on top.
    const readyMs = inputs["ready-timeout"] + setupMs;
    const onlineMs = inputs["online-timeout"] + setupMs;
    const given = inputs["boot-timeout"];
    return {
        bootMs: given === "auto" ? longestAutoBootMs({ onlineMs, readyMs }) : given,
        onlineMs,
        readyMs,
        lifetimeMs: inputs["max-lifetime"],
        idleMs: inputs["idle-timeout"],
    };
}
function machineEnv(inputs, run, machine) {
    // Later steps of this job may use it beside its runner: only its time ends it.
    const idleMs = inputs.hold ? machine.limits.idleMs : machine.limits.lifetimeMs;
    return onstartEnv({
        jitConfigs: machine.jitConfigs,
        runnerUrl: machine.download.url,
        runnerSha256: machine.download.sha256,
        apiUrl: inputs["api-url"],
        deadline: machine.deadline,
        maxUptimeSeconds: Math.ceil(machine.uptimeMs / 1000),
        maxLifetimeSeconds: machine.limits.lifetimeMs / 1000,
        keepFailedSeconds: inputs["keep-failed"] / 1000,
        idleTimeoutSeconds: Math.ceil(idleMs / 1000),
        numGpus: inputs["num-gpus"],
        repository: `${run.owner}/${run.repo}`,
        runId: run.runId,
        runAttempt: run.attempt,
        setup: inputs.setup,
        setupTimeoutSeconds: inputs["setup-timeout"] / 1000,
        probe: inputs.probe,
    }, inputs.env);
}

;// CONCATENATED MODULE: ./lib/action/token-kind.js
/** The first letters of each kind of token; GitHub's documentation, "Token formats". */
const KINDS = [
    { prefix: "github_pat_", kind: "a fine-grained personal token" },
    { prefix: "ghp_", kind: "a classic personal token" },
    { prefix: "ghs_", kind: "a token of a GitHub App or of a workflow" },
    { prefix: "ghu_", kind: "a GitHub App's token for a person" },
    { prefix: "gho_", kind: "an OAuth token" },
];
/** Which kind a GitHub token is, in words. */
function tokenKind(token) {
    return KINDS.find(({ prefix }) => token.startsWith(prefix))?.kind ?? "of a kind that its form does not tell";
}

;// CONCATENATED MODULE: ./lib/action/check-only.js



















/**
 * `check: true`: asks all that can be asked without renting, whatever the other answers were, and
 * shows what would be rented. Throws CheckFailedError when something is wrong.
 */
async function checkOnly(checking) {
    const { rooms } = checking;
    const list = new Checklist(rooms.log);
    await rooms.log.stage("Check the API key and the account", () => checkAccount(checking, list));
    await rooms.log.stage("Check the GitHub tokens", () => checkTokens(checking, list));
    await checkTemplate(checking.template, list);
    const offers = await rooms.log.stage("Search offers", () => checkOffers(checking, list));
    await writeSummary(rooms.log, checkSummary(list.results, offers));
    list.throwIfAnyFailed();
    noteEnd({ kind: "checked" });
}
async function checkAccount({ rooms, inputs, signal }, list) {
    const least = inputs["min-credit"];
    let user;
    await list.check("api-key may list instances (instance_read)", async () => {
        const instances = await rooms.service.listInstances(signal);
        return `${counted(instances.length, "instance")} in this account`;
    });
    await list.check("credit", async () => {
        user = await userOf(rooms, signal);
        return describeCredit(user, least, list);
    });
    await checkPermissions(rooms, user, list, signal);
}
function describeCredit(user, least, list) {
    if (user === undefined)
        return "not known: api-key may not read the account (user_read)";
    const { credit } = user;
    if (credit === undefined)
        return "not known: the service does not tell it";
    const [has, asks] = [formatBeside(credit, least), formatPrice(least)];
    const remedy = "Add credit to the service's account";
    if (credit <= 0)
        list.fail(`${has}: the service rents nothing without credit`, `${remedy}.`);
    if (credit < least)
        list.fail(`${has}, and min-credit asks for ${asks}`, `${remedy}, or lower min-credit.`);
    return `${has}, and min-credit asks for ${asks}`;
}
/** The account; undefined where the key may not read it: a rental goes on without it. */
async function userOf({ service }, signal) {
    try {
        return await service.currentUser(signal);
    }
    catch (error) {
        if (!(error instanceof AuthenticationError || error instanceof PermissionError))
            throw error;
        return undefined;
    }
}
async function checkTemplate({ answer, fault }, list) {
    if (answer === undefined && fault === undefined)
        return;
    await list.check("the template is there", async () => {
        if (fault !== undefined)
            throw fault;
        return answer ?? "";
    });
}
async function checkTokens(checking, list) {
    const { rooms, inputs, run, signal } = checking;
    await list.check(`github-token (${tokenKind(inputs["github-token"])}) may register runners`, async () => {
        // Under a label that no job asks for, and removed at once.
        const name = `${run.runnerLabel}-check-${(0,external_node_crypto_.randomUUID)().slice(0, 8)}`.slice(0, 64);
        const { id, jitConfig } = await rooms.runners.registerRunner(name, name, signal);
        maskSecret(jitConfig);
        const removed = await rooms.runners.remove(id, signal);
        return `one was registered and ${removed === "removed" ? "removed" : "could not be removed"} again`;
    });
    await list.check("GitHub offers a runner program with a SHA-256", async () => {
        const { url } = await rooms.runners.download(signal);
        return url.slice(url.lastIndexOf("/") + 1);
    });
    await checkJobs(checking, list);
    list.note("job-token may cancel the run (actions: write)", "not asked: it would cancel this run");
    await list.check(`the label ${run.runnerLabel} is free`, async () => {
        await checkLabel(rooms.runners, run.runnerLabel, signal);
        return "no other runner carries it";
    });
}
async function checkJobs({ rooms, inputs, signal }, list) {
    const what = `job-token (${tokenKind(inputs["job-token"])}) may see the jobs of this run`;
    if (!inputs.hold)
        return list.note(what, "not asked: hold: false goes without it");
    await list.check(what, async () => counted((await rooms.jobs.list(signal)).length, "job"));
}
async function checkOffers(checking, list) {
    const { inputs, run } = checking;
    const imageBytes = await checking.imageBytes();
    const machine = await checkVolume(checking, list);
    const use = { prefix: "", runnerNamePrefix: "", download: { url: "", sha256: "" }, imageBytes, machine };
    let request;
    await list.check("env, setup and probe fit into the variables of a machine", async () => {
        request = fleetRequest(inputs, run, use);
        return "they do";
    });
    return request === undefined ? [] : await checkSearch(checking, list, request);
}
async function checkSearch({ rooms, signal }, list, request) {
    const imageBytes = request.image.bytes;
    const left = budgetLeft(request, [], rooms.clock.now());
    let found = [];
    await list.check("api-key may search (misc), and an offer fits", async () => {
        const knowledge = knowledgeOf(request, [], { known: NO_HISTORY, isKept: false }, rooms.clock.now());
        const offer = { ...request.offer, budget: left, knowledge };
        found = await searchForOffers({ ...rooms, signal }, offer, { machines: [], offers: [] });
        return found.length === 1 ? "1 offer fits" : `${found.length} offers fit`;
    });
    const now = rooms.clock.now();
    const lines = found.map((candidate) => {
        const limits = deadlineLimits(request.limits, timingOf(request, candidate));
        return offerLine(candidate, planRental(now, limits, candidate, left, imageBytes), imageBytes);
    });
    for (const { text } of lines.slice(0, check_only_MOST_LINES))
        rooms.log.info(text);
    return lines;
}
/** The volume's machine, if there is a volume and the service tells it. */
async function checkVolume({ rooms, inputs, signal }, list) {
    const volume = volumeOf(inputs);
    let machine;
    if (volume === undefined)
        return undefined;
    await list.check("volume-id", async () => {
        machine = await volumeMachine({ ...rooms, signal }, volume);
        return machine === undefined ? "the service does not tell where it is" : `on machine ${machine}`;
    });
    return machine;
}
const check_only_MOST_LINES = 12;

;// CONCATENATED MODULE: ./lib/fleet/failures.js


const AGAIN = "Run the job again; if it happens again, raise min-reliability or attempts.";
const CAUSES = {
    boot: {
        one: "too slow to boot",
        many: "too slow to boot",
        todo: "Run the job again, use a smaller image, or raise boot-timeout.",
    },
    online: {
        one: "whose runner stayed offline",
        many: "whose runners stayed offline",
        todo: "Run the job again, or raise online-timeout; the log has each machine's last lines.",
    },
    preparing: {
        one: "that ended itself while it prepared",
        many: "that ended themselves while they prepared",
        todo: "Look at the image first, not at the market: it needs glibc, and a package manager or curl.",
    },
    image: {
        one: "that could not pull the image",
        many: "that could not pull the image",
        todo: "Check the image's name and tag, and image-login if it is private.",
    },
    machine: { one: "broken host", many: "broken hosts", todo: AGAIN },
    refused: {
        one: "that the service refused",
        many: "that the service refused",
        todo: "Look at what the service said: it may be the bid, or the account's credit or limits.",
    },
    price: {
        one: "dearer than max-price",
        many: "dearer than max-price",
        todo: "Raise max-price, or run the job again.",
    },
    outbid: { one: "outbid", many: "outbid", todo: "Raise bid-price, or set bid-fallback: true." },
    stopped: {
        one: "that the service stopped",
        many: "that the service stopped",
        todo: "Look at the account's credit: without any the service stops all machines. Else run the job again.",
    },
    none: { one: "lost", many: "lost", todo: AGAIN },
};
/** In words, `3 too slow to boot, 1 broken host`; and what to do about the commonest. */
function commonCauses(failures) {
    const byCause = Map.groupBy(failures, ({ ending }) => causeOf(ending));
    const causes = [...byCause].toSorted(([, left], [, right]) => right.length - left.length);
    const words = causes.map(([cause, { length }]) => `${length} ${CAUSES[cause][length === 1 ? "one" : "many"]}`);
    return { words: words.join(", "), todo: CAUSES[causes[0]?.[0] ?? "none"].todo };
}
/** JobMatcher fault it is comes before how far the machine was. */
function causeOf(ending) {
    if (ending?.isOutbid)
        return "outbid";
    return ending?.isStopped ? "stopped" : (ending?.blame ?? "none");
}
const MOST_TOLD = 4;
/** Each machine that failed, and why, in a sentence; of many the first ones. */
function describeFailures(failures) {
    const told = failures
        .slice(0, MOST_TOLD)
        .map(({ candidate, ending }, index) => `Attempt ${index + 1}, ${describeOffer(candidate.offer)}: ${oneLine(ending?.why ?? "")}.`);
    return failures.length > MOST_TOLD ? [...told, "The log has the others."] : told;
}

;// CONCATENATED MODULE: ./lib/fleet/fleet-errors.js



/** The market: offers matched, but each was gone when we asked for it. */
class OffersExhaustedError extends UserError {
    name = "OffersExhaustedError";
    constructor(tried, billing) {
        const none = tried === 1 ? "The one matching offer could not be had." : `None of the ${tried} matching offers could be had.`;
        super(`${none} ${billing}`, {
            kind: "no-machine",
            hint: "Run the job again in some minutes, or raise max-price.",
        });
    }
}
/** As many machines as `attempts` allows were rented and destroyed; none became or stayed ready. */
class AttemptsExhaustedError extends UserError {
    name = "AttemptsExhaustedError";
    /** `rented`: all machines of the use. `forOffers`: the way to more offers, where they lack. */
    constructor(failures, rented, after, forOffers = "") {
        const { todo, words } = commonCauses(failures);
        const count = `${failures.length} of ${rented} machines failed: ${words}.`;
        const offers = forOffers && ` For other offers: ${forOffers.charAt(0).toLowerCase()}${forOffers.slice(1)}`;
        super([count, ...describeFailures(failures), after].join(" "), { kind: "no-machine", hint: `${todo}${offers}` });
    }
}
/** The image: two different machines could not pull it. */
class ImageUnusableError extends UserError {
    name = "ImageUnusableError";
    constructor(image, statusMessage, billing) {
        super(`Two machines could not pull the image ${image}: ${statusMessage}. ${billing}`, {
            kind: "no-machine",
            hint: "Check the image's name and tag. A private image needs image-login, with a token that may pull it.",
        });
    }
}
/** Time: `ready-timeout` ran out. */
class ReadyTimeoutError extends UserError {
    name = "ReadyTimeoutError";
    /** `hint`: where something else than the market was in the way. */
    constructor(limit, reasons, billing, hint) {
        super(`No machine was ready within ready-timeout (${limit}). ${[...reasons, billing].join(" ")}`, {
            kind: "no-machine",
            hint: hint ?? "Raise ready-timeout, or ask for a GPU that is offered more often.",
        });
    }
}
/**
 * The probe: several machines gave themselves back before a runner started, and with a probe that
 * is what they have in common.
 */
class ProbeFailedError extends UserError {
    name = "ProbeFailedError";
    constructor(machines, billing) {
        super(`${machines} machines gave themselves back before their runner was online, and a probe is set: it may fail on every machine. ${billing}`, {
            kind: "no-machine",
            hint: "Try the line of probe in the image by hand, or run once without it; what a failed probe prints is lost with its machine.",
        });
    }
}
/** The run's jobs make this job fail; the hint says who is to do what. */
class HoldError extends UserError {
    name = "HoldError";
}
/** GitHub cuts an annotation, and the end of it says what bills and what to do. */
const MOST_JOBS = 3;
/** Of many the first ones, and how many more there are: other annotations name them all. */
function firstOf(things) {
    return [things.slice(0, MOST_JOBS), Math.max(0, things.length - MOST_JOBS)];
}
/** The GPU jobs' own fault: this job fails with them, so that "Re-run failed jobs" rents again. */
class GpuJobFailedError extends UserError {
    name = "GpuJobFailedError";
    constructor(jobs, billing) {
        const [some, others] = firstOf(jobs);
        const shown = some.map(({ name, conclusion, url }) => `'${oneLine(name, 100)}' (${conclusion ?? "unknown"}${url ? `: ${url}` : ""})`);
        const names = `${shown.join(", ")}${others > 0 ? ` and ${others} more` : ""}`;
        // One that is cancelled in time has met none.
        const hasRun = jobs.some(({ runnerName }) => runnerName !== undefined);
        const how = hasRun
            ? "did not succeed; the machine was fine."
            : `did not succeed; no machine had run ${jobs.length === 1 ? "it" : "them"}.`;
        super(`${names} ${how} ${billing}`, {
            kind: "job-failed",
            hint: 'Look at the GPU job. This job is red only so that "Re-run failed jobs" rents again.',
        });
    }
}
const WITHOUT_CREDIT = "Look at the account's credit first: without any the service stops all machines. ";
/** The host: a machine went while a job ran on it. */
class MachineLostError extends UserError {
    name = "MachineLostError";
    constructor(lost, billing) {
        const [some, others] = firstOf(lost);
        const shown = some.map(({ instanceId, name, url, went }) => `Instance ${instanceId ?? "?"} ${went} under '${oneLine(name, 100)}'${url ? ` (${url})` : ""}`);
        const rest = others > 0 ? [`${others} more ${others === 1 ? "was" : "were"} lost under other jobs`] : [];
        super(`${[...shown, ...rest].join(". ")}: not your tests. ${billing}`, {
            kind: "lost",
            hint: `${lost.some(({ went }) => went === "was stopped by the service") ? WITHOUT_CREDIT : ""}Use "Re-run failed jobs": another machine is rented. The job may show as running until GitHub misses its runner.`,
        });
    }
}

;// CONCATENATED MODULE: ./lib/fleet/jobs-error.js



const SENTENCES = {
    alone: () => ({
        what: "No other job is visible in this run.",
        hint: "If the GPU job has `needs:` on this one, remove it; for this job's own later steps set `hold: false`.",
    }),
    unreadable: ({ why }) => ({
        what: `The jobs of this run could not be read for 10 minutes and more: ${why}.`,
        hint: "Look at the GPU job itself, and at githubstatus.com.",
    }),
    "none-asked": ({ open }, { policy, runnerLabel }) => ({
        what: `No job asked for the GPU runner ${runnerLabel} within ${waitedFor(policy)}.`,
        hint: `Give this job the same \`needs:\` as the GPU jobs, or raise wait-for-job.${describeOpen(open)}`,
    }),
    "too-few": ({ came, expected }) => ({
        what: `${came} of ${expected} GPU jobs came.`,
        hint: "Correct `jobs`, or give this job the same `needs:` as the GPU jobs.",
    }),
    held: ({ job }, { policy }) => ({
        what: `'${jobs_error_nameOf(job)}' waited for an approval or its concurrency group for all of ${waitedFor(policy)}.`,
        hint: "Put the environment on a small job that this one and the GPU job need.",
    }),
    unseen: ({ job }) => ({
        what: `'${jobs_error_nameOf(job)}' waits beside a machine that is ready: GitHub does not give it our runner.`,
        hint: "Check which repositories the runner group may serve (public ones are off by default), and the labels in runs-on.",
    }),
};
/** The error of such an end. */
function jobsError(end, told) {
    const { hint, what } = SENTENCES[end.kind](end, told);
    return new HoldError(`${what} ${told.billing}`, { hint });
}
function jobs_error_nameOf(job) {
    return oneLine(job?.name ?? "", 100);
}
function describeOpen(jobs) {
    const labels = [...new Set((jobs?.othersOpen ?? []).flatMap((job) => job.labels))].slice(0, 8);
    return labels.length === 0 ? "" : ` Open jobs ask for: ${labels.map((label) => oneLine(label, 60)).join(", ")}.`;
}
function waitedFor({ idleMs, waitForJobMs }) {
    return waitForJobMs === 0
        ? `idle-timeout (${formatDuration(idleMs)})`
        : `wait-for-job (${formatDuration(waitForJobMs)})`;
}

;// CONCATENATED MODULE: ./lib/money/budget-errors.js



/** The money: what is left of `max-cost` buys no other machine. */
class BudgetError extends UserError {
    name = "BudgetError";
    constructor({ maxCost, left }, failures, billing) {
        const cost = `About ${formatPrice(maxCost - left)} of max-cost (${formatPrice(maxCost)}) are used up, and what is left is too little for another machine.`;
        super([cost, ...failures, billing].join(" "), {
            kind: "no-machine",
            hint: "Raise max-cost, or shorten boot-timeout and online-timeout: a machine is only rented if they and 5 minutes of work can be paid.",
        });
    }
}
/** The account: it has less credit than `min-credit` asks for. */
class LowCreditError extends UserError {
    name = "LowCreditError";
    constructor(credit, minCredit) {
        super(`The service's account has ${formatBeside(credit, minCredit)} of credit, less than min-credit (${formatPrice(minCredit)}). ${NOTHING_RENTED}`, { hint: "Add credit to the service's account, or lower min-credit." });
    }
}

;// CONCATENATED MODULE: ./lib/fleet/stop-error.js















/** The jobs that did not run, what was spent, and what may still bill. */
function afterStop(jobs, { fleet, now }) {
    const missed = jobs.length === 0 ? "" : `${jobNames(jobs)} did not run.`;
    const spent = fleet.machines.length === 0 ? "" : `About ${formatPrice(totalCost(reportsOf(fleet), now).total)} spent.`;
    return [missed, spent, billingOf(fleet)].filter(Boolean).join(" ");
}
/** The error of a renting that stopped. */
function stopError({ jobs, stop }, stopped) {
    const { fleet, policy, request, now } = stopped;
    const after = afterStop(jobs, stopped);
    const rented = fleet.machines.length;
    switch (stop.kind) {
        case "refused":
            return stop.refusal.error(after);
        case "undestroyed":
            return stop.fault;
        case "attempts":
            return new AttemptsExhaustedError(stop.failures, rented, after);
        case "image": {
            const last = blamed(stop.failures, "image").at(-1);
            return new ImageUnusableError(describeImage(request.instance), last?.ending?.why ?? "", after);
        }
        case "preparing":
            return new ProbeFailedError(blamed(stop.failures, "preparing").length, after);
        case "ready-timeout":
            return stop_error_late(stopped, describeFailures(stop.failures), after);
        case "volume":
            return new HoldError(`A new volume is made with one machine only: it bills until you delete it. ${after}`, {
                hint: "Now that there is one, set volume-id to its id and volume-create-new to false; the service's console shows the id.",
            });
        case "max-cost": {
            const left = budgetLeft(request, reportsOf(fleet), now);
            if (left !== undefined && rented > 0)
                return new BudgetError(left, describeFailures(stop.failures), after);
            const nothing = fleet.market?.nothing;
            return nothing instanceof NoOfferError ? noOffer(nothing, after) : stop_error_nothingFits(fleet, 0, after);
        }
        case "no-offer": {
            if (stop.failures.length === 0)
                return stop_error_nothingFits(fleet, policy.searchMs, after);
            // "No offer matches" need not be all that is true: what was tried is the better answer.
            const hint = fleet.market?.nothing?.hint;
            return new AttemptsExhaustedError(stop.failures, rented, `No other offer fits. ${after}`, hint);
        }
    }
}
function stop_error_nothingFits({ market, taken }, searchMs, after) {
    const error = market?.nothing;
    if (taken.length > 0 || error === undefined)
        return new OffersExhaustedError(taken.length, after);
    if (!(error instanceof NoOfferError))
        return error.and(after);
    const searched = searchMs === 0 ? "" : `Searched for all of search-timeout (${formatDuration(searchMs)}). `;
    return noOffer(error, `${searched}${after}`);
}
function noOffer({ explanation, wishes }, after) {
    return new NoOfferError(wishes, explanation, after);
}
/** A pause that was over for longer than the longest one has kept nothing from being rented. */
const PAUSED_LATELY_MS = 120_000;
/** Where nothing was rented, what kept it from that is the better answer. */
function stop_error_late({ fleet, policy, now }, failures, after) {
    const { machines, market, noOfferSince, pause } = fleet;
    const limit = formatDuration(policy.readyMs);
    const kept = isFull(fleet, policy) ? fullSentence(policy) : unlistedSentence(fleet, policy.readyMs, now);
    if (kept !== undefined)
        return new ReadyTimeoutError(limit, [kept.what, ...failures], after, kept.hint);
    const isPaused = pause !== undefined && now - pause.until < PAUSED_LATELY_MS;
    if (machines.length === 0 && isPaused && pause.error !== undefined)
        return pause.error.and(after);
    // A longer search-timeout ends here, too.
    if (machines.length === 0 && noOfferSince !== undefined && market?.nothing instanceof NoOfferError)
        return noOffer(market.nothing, `Searched for all of ready-timeout (${limit}). ${after}`);
    const asked = pause === undefined ? [] : [pausedBy(pause)];
    return new ReadyTimeoutError(limit, [...failures, ...asked], after);
}
/** By the last word, where it was not the service's 429. */
function pausedBy({ error, times }) {
    return error?.message.trim() ?? `The service asked to come later, ${counted(times, "time")}.`;
}
function fullSentence({ machinesPerRepository: most }) {
    return {
        what: `${most} of ${most} machines of this repository were alive.`,
        hint: "Raise machines-per-repository or ready-timeout, or run fewer workflows with GPU jobs at a time.",
    };
}
/** No list for most of the time; some that got lost explain nothing. */
function unlistedSentence({ instancesAt, startedAt }, readyMs, now) {
    const since = now - (instancesAt ?? startedAt);
    if (since < readyMs / 2)
        return undefined;
    return {
        what: `The service gave no list of instances for ${formatDuration(since)}, without which nothing is rented.`,
        hint: "The log has what it gave instead. Run the job again when the service works.",
    };
}
/** Other runs have machines, and leave no room for one of ours. */
function isFull({ machines, repositoryAlive }, { machinesPerRepository }) {
    return repositoryAlive >= machinesPerRepository && repositoryAlive > machines.filter(isAlive).length;
}

;// CONCATENATED MODULE: ./lib/fleet/end-error.js






/** The error that an end is for this job; undefined when all went well. */
function errorOf(end, ended) {
    switch (end.kind) {
        case "ready":
        case "none-came":
            return undefined;
        case "over":
            return overError(end, ended);
        case "stopped":
            return stopError(end, ended);
        default:
            return jobsError(end, { ...ended, billing: billingOf(ended.fleet) });
    }
}
function overError({ bad, lost, refused }, { failWithJob, fleet }) {
    const billing = billingOf(fleet);
    const cut = lost.find(({ cutBy }) => cutBy !== undefined);
    if (cut !== undefined)
        return outOfTime(cut, billing);
    if (lost.length > 0)
        return new MachineLostError(lost, billing);
    const [other] = refused;
    if (other !== undefined)
        return new HoldError(`${describeLabels(other)} ${billing}`, {
            hint: "Let runs-on ask for that one label, as the README shows it, without self-hosted.",
        });
    return failWithJob && bad.length > 0 ? new GpuJobFailedError(bad, billing) : undefined;
}
const TIME_OVER = {
    "max-lifetime": {
        why: "max-lifetime is over, and the machine was given back",
        hint: "Raise max-lifetime, or make the GPU job shorter; its own timeout-minutes should be below max-lifetime.",
    },
    "max-cost": {
        why: "max-cost is used up: it had cut the machine's time below max-lifetime. The machine was given back",
        hint: "Raise max-cost, or make the GPU job shorter; the log tells, where the machine is asked for, how long max-cost lets it live.",
    },
};
function outOfTime({ cutBy = "max-lifetime", name, url }, billing) {
    const { why, hint } = TIME_OVER[cutBy];
    return new HoldError(`${why} while '${oneLine(name, 100)}' ran on it${url ? ` (${url})` : ""}. ${billing}`, { hint });
}

;// CONCATENATED MODULE: ./lib/github/lost-jobs.js
/** The title of the annotation that tells of a machine that was lost under its job. */
const LOST_MACHINE_TITLE = "GPU machine lost";
const MARK = /\[lost jobs?: (\d{1,16}(?:, \d{1,16}){0,99})\]\s*$/;
/**
 * Ends the text of an annotation with the ids of the jobs whose machines were lost under them. The
 * sweep reads them there, on the job that rented: annotations outlive the run, and need no
 * artifact.
 */
function markLostJobs(text, jobIds) {
    return `${text} [lost job${jobIds.length === 1 ? "" : "s"}: ${jobIds.join(", ")}]`;
}
/** The ids of jobs that an annotation names as lost; none when it is about something else. */
function readLostJobs(text) {
    return (MARK.exec(text)?.[1]?.split(", ") ?? []).map(Number);
}

;// CONCATENATED MODULE: ./lib/report/annotate-jobs.js




/** GitHub keeps ten of a level per step, and one is the step's own error. */
const MOST = 9;
const FAILED_TITLE = "GPU job failed";
/**
 * Annotates every machine that was lost under a job, and every job that failed. `isRed`: this job
 * fails, too; the sweep looks for losses in no other.
 */
function annotateJobs(fleet, isRed) {
    const annotate = isRed ? error : warning;
    for (const { message, title } of jobAnnotations(fleet))
        annotate(withoutCommands(message), { title });
}
/** The lost ones first: a re-run hangs on them. */
function jobAnnotations({ jobs, lost }) {
    // One whose time was over failed by its length: the next machine would not do better.
    const gone = lost.filter(({ cutBy }) => cutBy === undefined);
    const lostIds = new Set(lost.map(({ id }) => id));
    const bad = (jobs?.ours ?? []).filter((job) => isBad(job) && !lostIds.has(job.id));
    const failed = inFew(bad, bad.length === 0 ? 0 : Math.max(1, MOST - gone.length));
    return [
        ...inFew(gone, MOST - failed.length).map(lostOnes),
        ...failed.map((some) => ({
            title: FAILED_TITLE,
            message: `${some.map((job) => badOne(job, isFew(some))).join(", ")}; ${howOf(some)}. "Re-run failed jobs" rents again.`,
        })),
    ];
}
function lostOnes(some) {
    const sentence = `${some.map((job) => lostOne(job, isFew(some))).join(". ")}: not your tests. ${some.length === 1 ? "It is" : "They are"} destroyed. Use "Re-run failed jobs": another machine is rented.`;
    const ids = some.map(({ id }) => id);
    // The sweep looks for the mark at the very end.
    return { title: LOST_MACHINE_TITLE, message: markLostJobs(sentence, ids) };
}
function lostOne({ instanceId, n, went, ...job }, withLink) {
    return `Machine ${n} (instance ${instanceId ?? "unknown"}) ${went} under ${named(job, withLink)}`;
}
/** One that was cancelled in time has met no machine. */
function howOf(some) {
    const hasRun = some.some(({ runnerName }) => runnerName !== undefined);
    return hasRun ? "the machine was fine. Look at the job's own log" : "no machine had run it";
}
function badOne(job, withLink) {
    return `${named(job, withLink)} ended as ${oneLine(job.conclusion ?? "unknown", 40)}`;
}
function named({ name, url }, withLink) {
    return `'${oneLine(name, 100)}'${withLink && url ? ` (${oneLine(url)})` : ""}`;
}
/** GitHub cuts an annotation at 4,096 characters: there is room for as many links. */
function isFew(some) {
    return some.length <= MOST;
}
/** So many groups at most, of like sizes. */
function inFew(things, most) {
    const groups = Math.min(things.length, most);
    const begin = (index) => Math.floor((index * things.length) / groups);
    return Array.from({ length: groups }, (_none, index) => things.slice(begin(index), begin(index + 1)));
}

;// CONCATENATED MODULE: ./lib/action/conclude-main.js



const NONE_CAME = "No job in this run asks for the GPU runner: nothing more is rented. It was skipped (a skipped job shows no labels), or its runs-on is another, or it `needs` this job.";
/** Turns the end of the loop into this step's: a word for post, an error where it is to fail. */
function concludeMain({ inputs, rooms, run, use, policy, request }, end) {
    const { clock, log } = rooms;
    const { fleet } = use;
    const { runnerLabel } = run;
    const failWithJob = inputs["fail-with-job"];
    const error = errorOf(end, { fleet, policy, request, runnerLabel, failWithJob, now: clock.now() });
    annotateJobs(fleet, error !== undefined);
    if (error !== undefined)
        throw error;
    if (end.kind === "none-came") {
        noteEnd({ kind: "no-job", message: NONE_CAME });
        log.warning(NONE_CAME);
    }
    else if (end.kind === "ready") {
        noteEnd({ kind: "ready" });
    }
    else {
        noteEnd({ kind: "over", taken: fleet.taken.length });
        log.info(overLine(end.kind === "over" ? end.bad.length : 0, fleet.jobs?.ours.length ?? 1));
    }
}
function overLine(bad, jobs) {
    if (bad > 0)
        return `${bad} did not succeed. With fail-with-job: false this job goes on.`;
    return jobs === 1 ? "The GPU job is over." : `The ${jobs} GPU jobs are over.`;
}

;// CONCATENATED MODULE: ./lib/registry/answers.js

/** Sent as Accept, or the registry answers in a form of 2015 that knows no sizes. */
const MANIFEST_TYPES = [
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.docker.distribution.manifest.v2+json",
];
const digest = schemas_string().regex(/^sha256:[0-9a-f]{64}$/);
const blob = looseObject({ digest, size: schemas_int().min(0) });
/** One image: its layers, compressed, and its configuration. */
const manifestSchema = looseObject({ layers: array(blob).min(1).max(1000), config: blob.optional() });
/** Several, one a platform. */
const indexSchema = looseObject({
    manifests: array(looseObject({
        digest,
        platform: looseObject({ os: schemas_string(), architecture: schemas_string(), variant: schemas_string().optional() })
            .optional()
            .catch(undefined),
    }))
        .max(1000),
});
/** The token server may use either name, for the sake of old clients. */
const tokenSchema = union([
    looseObject({ token: schemas_string().min(1) }).transform(({ token }) => token),
    looseObject({ access_token: schemas_string().min(1) }).transform(({ access_token }) => access_token),
]);
/** Reads the answer to a question for a manifest. */
function readManifest(json) {
    const index = indexSchema.safeParse(json).data;
    if (index)
        return choose(index.manifests);
    const manifest = manifestSchema.safeParse(json).data;
    return manifest ? sizeOf(manifest) : { kind: "unusable", why: "the answer is no manifest" };
}
/** Machines are linux/amd64; of its variants the plain one is what they pull. */
function choose(manifests) {
    const fit = manifests.filter(({ platform }) => platform?.os === "linux" && platform.architecture === "amd64");
    const chosen = fit.find(({ platform }) => platform?.variant === undefined) ?? fit[0];
    if (chosen === undefined)
        return { kind: "unusable", why: "it has no image for linux/amd64" };
    return { kind: "index", digest: chosen.digest };
}
/** A layer that is listed twice is pulled once. */
function sizeOf({ layers, config }) {
    const blobs = new Map([...layers, ...(config ? [config] : [])].map((each) => [each.digest, each.size]));
    const bytes = [...blobs.values()].reduce((sum, size) => sum + size, 0);
    const isPlausible = bytes > 0 && Number.isSafeInteger(bytes);
    return isPlausible ? { kind: "size", bytes } : { kind: "unusable", why: "its sizes can't be right" };
}
/** Reads a token server's answer. */
function readToken(json) {
    const token = tokenSchema.safeParse(json).data;
    // It becomes a header: what can't stand in one is no token.
    return token !== undefined && /^[\x21-\x7e]+$/.test(token) ? token : undefined;
}

;// CONCATENATED MODULE: ./lib/registry/challenge.js

// From the beginning of a name: to look for one at each of its letters takes minutes for a long
// word.
const PARAMETER = /(?<![a-z])([a-z]+)="([^"\\]*)"/gi;
/**
 * Reads `WWW-Authenticate`; undefined when it can't be obeyed. `registryHost` has asked: only this
 * very machine may name an address on this very machine, and every other address is https.
 */
function readChallenge(header, registryHost) {
    if (/^basic\b/i.test(header))
        return { kind: "login" };
    if (!/^bearer\b/i.test(header))
        return undefined;
    const { realm = "", ...others } = parameters(header);
    const url = URL.canParse(realm) ? new URL(realm) : undefined;
    if (url === undefined || !mayAsk(url, registryHost))
        return undefined;
    for (const name of ["service", "scope"]) {
        const value = others[name];
        if (value !== undefined)
            url.searchParams.set(name, value);
    }
    return { kind: "token", url };
}
function parameters(header) {
    const pairs = Array.from(header.matchAll(PARAMETER), ([, name = "", value = ""]) => [name.toLowerCase(), value]);
    return Object.fromEntries(pairs);
}
function mayAsk(url, registryHost) {
    if (url.username !== "" || url.password !== "")
        return false;
    if (isLoopback(url.hostname))
        return isLoopback(new URL(`http://${registryHost}`).hostname);
    return url.protocol === "https:";
}

;// CONCATENATED MODULE: ./lib/registry/get.js

/** A manifest is some kilobytes; an index of many platforms some dozen. */
const get_MOST_BYTES = 1_000_000;
/** Asks once; follows no redirect. Throws when no whole answer comes. */
async function get(url, headers, { way, signal }) {
    const answer = await way.send(url, { method: "GET", headers, signal });
    return {
        status: answer.statusCode,
        contentType: get_text(answer.headers["content-type"]).replace(/;.*$/, "").trim().toLowerCase(),
        challenge: bearerFirst(answer.headers["www-authenticate"]),
        json: readJson(await answer.body.text()),
    };
}
function get_text(header) {
    return (Array.isArray(header) ? header[0] : header) ?? "";
}
/** A registry may take several schemes, each in a header of its own. */
function bearerFirst(header) {
    const all = [header ?? ""].flat();
    return all.find((each) => /^bearer\b/i.test(each)) ?? all[0] ?? "";
}

;// CONCATENATED MODULE: ./lib/registry/login.js

/** Reads `-u USER -p TOKEN REGISTRY`; undefined for anything else. */
function readLogin(text) {
    const parts = /^-u (?<username>\S+) -p (?<token>\S+) (?<registry>\S+)$/.exec(text)?.groups;
    if (!parts)
        return undefined;
    return { registry: registryOf(String(parts.registry)), username: String(parts.username), token: String(parts.token) };
}
/** The header that proves a login. */
function basicAuthorization({ username, token }) {
    return `Basic ${Buffer.from(`${username}:${token}`).toString("base64")}`;
}

;// CONCATENATED MODULE: ./lib/registry/image-size.js







const WITHIN_MS = 5000;
/** Why a size is not known, in words that end a sentence. */
class NotKnown extends Error {
    name = "NotKnown";
}
/**
 * The size of an image in bytes, as it is downloaded for linux/amd64: all layers, compressed, and
 * the configuration. Undefined, with one line in the log that says why, when its registry does not
 * tell it in time. Never throws.
 */
async function askImageSize(image, options) {
    const { log, signal, withinMs = WITHIN_MS } = options;
    await loadHttp();
    const timeout = AbortSignal.timeout(withinMs);
    try {
        return await image_size_ask(image, options, AbortSignal.any([signal, timeout]));
    }
    catch (fault) {
        // A cancel needs no explanation of what else it cut.
        if (!signal.aborted)
            log.info(`The size of the image is not known: ${timeout.aborted ? "no answer in time" : why(fault)}.`);
        return undefined;
    }
}
/** Some network errors have only a code, such as ECONNREFUSED. */
function why(fault) {
    const { code, message } = fault;
    return oneLine(String(message || code || fault), 120);
}
async function image_size_ask(image, options, signal) {
    const place = readImageName(image);
    if (place === undefined)
        throw new NotKnown("its name is none that a registry can have");
    const { hostname } = new URL(`http://${image_name_hostOf(place.registry)}`);
    const way = new http_client_HttpClient({ hostname, proxy: options.proxy, mostBytes: get_MOST_BYTES });
    try {
        return await new Questions(place, options, { way, signal }).size();
    }
    finally {
        await way.close();
    }
}
/** The questions about one image, with what they prove who asks. */
class Questions {
    #place;
    #options;
    #way;
    #login;
    #authorization;
    constructor(place, options, way) {
        this.#place = place;
        this.#options = options;
        this.#way = way;
        const login = readLogin(options.login);
        this.#login = login?.registry === place.registry ? login : undefined;
    }
    async size() {
        const first = await this.#manifest(this.#place.reference);
        if (first.kind === "size")
            return first.bytes;
        const second = await this.#manifest(first.digest);
        if (second.kind === "size")
            return second.bytes;
        throw new NotKnown("its registry lists an index within an index");
    }
    async #manifest(reference) {
        const answer = await this.#getManifest(reference);
        if (answer.status !== 200)
            throw new NotKnown(`its registry answered ${answer.status}`);
        if (!isManifestType(answer.contentType))
            throw new NotKnown("its registry answered with something else");
        const read = readManifest(answer.json);
        if (read.kind === "unusable")
            throw new NotKnown(read.why);
        return read;
    }
    async #getManifest(reference) {
        const host = image_name_hostOf(this.#place.registry);
        const url = new URL(`/v2/${this.#place.repository}/manifests/${reference}`, `${this.#way.way.isLocal ? "http" : "https"}://${host}`);
        const accept = MANIFEST_TYPES.join(", ");
        const ask = () => get(url, { accept, ...(this.#authorization && { authorization: this.#authorization }) }, this.#way);
        const answer = await ask();
        if (answer.status !== 401 || this.#authorization !== undefined)
            return answer;
        this.#authorization = await this.#authorize(answer.challenge, host);
        return await ask();
    }
    async #authorize(header, host) {
        const challenge = readChallenge(header, host);
        const basic = this.#login && basicAuthorization(this.#login);
        if (challenge === undefined)
            throw new NotKnown("its registry asks for a login in a way that is not known here");
        if (challenge.kind === "login" && basic === undefined)
            throw new NotKnown("its registry wants a login");
        if (challenge.kind === "login")
            return String(basic);
        const headers = { accept: "application/json", ...(basic && { authorization: basic }) };
        const { status, json } = await get(challenge.url, headers, this.#way);
        const token = status === 200 ? readToken(json) : undefined;
        if (token === undefined)
            throw new NotKnown(`its registry gave no token (${status})`);
        this.#options.mask?.(token);
        return `Bearer ${token}`;
    }
}
/** Some registries say plain JSON; anything else is a page of somebody in between. */
function isManifestType(contentType) {
    return contentType === "application/json" || MANIFEST_TYPES.some((type) => type === contentType);
}

;// CONCATENATED MODULE: ./lib/action/image-size-of-inputs.js




/** Asks the image's registry beside all else that comes before renting: it takes no extra time. */
function askForSize({ log }, inputs, signal) {
    const givenUp = new AbortController();
    const image = fullImage(knownImage(inputs));
    const options = { log, login: inputs["image-login"], mask: maskSecret, proxy: readProxy() };
    const asked = image === ""
        ? Promise.resolve(undefined)
        : askImageSize(image, { ...options, signal: AbortSignal.any([signal, givenUp.signal]) });
    return {
        bytes: () => asked,
        async [Symbol.asyncDispose]() {
            givenUp.abort();
            await asked;
        },
    };
}

;// CONCATENATED MODULE: ./lib/action/input-warnings.js





/** Lines on inputs that are no mistake, and yet do not do as they look. */
function oddInputs(inputs) {
    const { hedge, hold, image, machines } = inputs;
    const full = fullImage(image);
    const { readyMs } = limitsOf(inputs);
    const searchMs = inputs["search-timeout"];
    const [ready, search] = [readyMs, searchMs].map(formatDuration);
    const [ofLogin, ofImage] = [readLogin(inputs["image-login"]), readImageName(image)].map((each) => each?.registry);
    const lines = [
        [full !== image, `The image has neither tag nor digest; ${full} is used.`],
        [
            ofLogin !== undefined && image !== "" && ofLogin !== ofImage,
            // That of the login is not shown: who swaps it with the token would find that here.
            `image-login is for another registry than ${ofImage}, where the image is: it is pulled without a login.`,
        ],
        [
            hedge && hold && machines === 1,
            "hedge has no effect with machines: 1: no second machine is started for one that is late.",
        ],
        [
            searchMs > readyMs,
            `search-timeout (${search}) is more than ready-timeout (${ready}), which ends the search as well: to search for longer, raise both.`,
        ],
    ];
    return lines.flatMap(([isOdd, line]) => (isOdd ? [line] : []));
}

;// CONCATENATED MODULE: ./lib/fleet/state/fleet.js
/** A fleet that has nothing yet. */
function emptyFleet(now) {
    return {
        startedAt: now,
        machines: [],
        creates: 0,
        strays: [],
        looks: { jobs: now, instances: now },
        repositoryAlive: 0,
        taken: [],
        excluded: { machines: [], offers: [] },
        failedSinceJob: [],
        mostWanted: 0,
        besideReady: { sumMs: 0, at: undefined },
        heldBack: 0,
        lastEndAt: now,
        lost: [],
        isOnDemand: false,
        doubts: {},
    };
}

;// CONCATENATED MODULE: ./lib/sweep/sweep-decision.js

/** A run attempt counts as over so long after it ended: by then its own post has had its say. */
const SETTLED_AFTER_MS = 60_000;
/**
 * The instances of this server's repository, oldest first. What does not parse, or is another
 * repository's, is not among them.
 */
function ownedInstances(instances, { server, repositoryId }) {
    const owned = instances.flatMap(({ id, label: text, start_date, dph_total }) => {
        const label = readLabel(text ?? "");
        if (label === undefined || label.server !== server || label.repositoryId !== repositoryId)
            return [];
        const startedAt = start_date === undefined ? undefined : start_date * 1000;
        return [{ id, label, startedAt, pricePerHour: dph_total }];
    });
    // SPEC-SILENT: how ids grow; a younger instance is taken to have the higher one.
    return owned.sort((left, right) => left.id - right.id);
}
/**
 * The machines of this server's repository that are alive, those of this very use too, oldest
 * first: all that are listed, whatever their state, but those that are known to be leaving.
 */
function aliveOf(instances, sweeper, leaving) {
    return ownedInstances(instances, sweeper).filter(({ id }) => !leaving?.has(id));
}
/** A run attempt as a key of a map, and in messages. */
function attemptName({ runId, attempt }) {
    return `${runId}-${attempt}`;
}
/**
 * The run attempts whose state decides over an instance: each once; not our own, and none of an
 * instance that has expired.
 */
function attemptsToAsk(owned, sweeper, now) {
    const asked = owned.filter(({ label }) => !isOwnAttempt(label, sweeper) && !hasExpired(label, now));
    return [...new Map(asked.map(({ label }) => [attemptName(label), label])).values()];
}
/** Decides over one instance of this repository. An error or a doubt leaves it until it expires. */
function judgeLeftover(label, evidence) {
    const { now, sweeper } = evidence;
    if (isOwnAttempt(label, sweeper))
        return { kind: "leave", why: "it belongs to this run attempt" };
    if (hasExpired(label, now))
        return { kind: "destroy", why: `its time was up at ${sweep_decision_moment(label.expiry * 1000)}` };
    const state = stateOf(label, evidence);
    if (state.kind === "open")
        return { kind: "leave", why: "its run is not over" };
    if (state.kind === "unknown") {
        const expiry = sweep_decision_moment(label.expiry * 1000);
        return { kind: "leave", why: `whether its run is over is not known (${state.why}); it goes after ${expiry}` };
    }
    const settledAt = state.since + SETTLED_AFTER_MS;
    return now >= settledAt
        ? { kind: "destroy", why: "its run is over" }
        : { kind: "wait", until: settledAt, why: "its run ended less than a minute ago" };
}
/** Earlier attempts of our run are over, whatever GitHub says: else this one could not run. */
function stateOf({ runId, attempt }, { begun, state, sweeper }) {
    if (state?.kind === "completed")
        return state;
    if (runId === sweeper.runId && attempt < sweeper.attempt)
        return { kind: "completed", since: begun };
    return state ?? { kind: "unknown", why: "it was not asked" };
}
function isOwnAttempt(label, sweeper) {
    return label.runId === sweeper.runId && label.attempt === sweeper.attempt;
}
function hasExpired(label, now) {
    return label.expiry * 1000 <= now;
}
function sweep_decision_moment(milliseconds) {
    const date = new Date(milliseconds);
    return Number.isNaN(date.getTime()) ? "an unknown time" : date.toISOString();
}

;// CONCATENATED MODULE: ./lib/action/check-before-renting.js






/**
 * Asks all that can be known before money is spent, one request each, service and GitHub side by
 * side: the API key, the credit, the GitHub token, whose label it is. Minting and reading the jobs
 * prove the tokens in full, later.
 */
async function checkBeforeRenting(rooms, runnerLabel, minCredit, signal) {
    return await rooms.log.stage("Check keys and tokens", async () => {
        const both = [askService(rooms, minCredit, signal), askGithub(rooms, runnerLabel, signal)];
        // Where both refuse, the same one is told each time.
        await Promise.allSettled(both);
        return { ...(await both[0]), ...(await both[1]) };
    });
}
async function askService(rooms, minCredit, signal) {
    const instances = await rooms.service.listInstances(signal);
    return { instances, credit: await checkCredit(rooms, minCredit, signal) };
}
async function askGithub({ runners }, runnerLabel, signal) {
    const download = await runners.download(signal);
    await checkLabel(runners, runnerLabel, signal);
    return { download };
}
/** The credit in USD; undefined where the key may not read it, or the service does not tell. */
async function checkCredit(rooms, minCredit, signal) {
    const user = await userOf(rooms, signal);
    const credit = user?.credit;
    if (credit === undefined) {
        const skipped = minCredit > 0 ? "neither the credit nor min-credit was checked" : "the credit was not checked";
        const why = user
            ? "The service does not tell the account's credit"
            : "The API key may not read the account (permission user_read)";
        rooms.log.warning(`${why}, so ${skipped}.`);
        return undefined;
    }
    rooms.log.info(`The service's account has ${formatPrice(credit)} of credit.`);
    if (credit <= 0)
        throw new NoCreditError(`it has ${formatPrice(credit)} of credit`, NOTHING_RENTED);
    if (credit < minCredit)
        throw new LowCreditError(credit, minCredit);
    return credit;
}

// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __nccwpck_require__(1455);
;// CONCATENATED MODULE: ./lib/market/history-text.js



/** The form of the file. Another one is not read: it says other things by the same words. */
const history_text_VERSION = 1;
/** Several times the most that is kept: 500 machines of 8 boots each. */
const MOST_HISTORY_BYTES = 1_000_000;
/** A clock that is ahead by more says nothing of when things were. */
const history_text_CLOCKS_DIFFER_MS = 3_600_000;
/** Writes a history: numbers and marks alone, no secret and no text of others. */
function historyText(history) {
    return `${JSON.stringify({ version: history_text_VERSION, machines: Object.fromEntries(history) })}\n`;
}
/** Reads a history; a text says why it can't be. One fault refuses all: the rest may be wrong. */
function readHistoryText(text, now) {
    if (text.length > MOST_HISTORY_BYTES)
        return `it has more than ${MOST_HISTORY_BYTES / 1e6} MB`;
    const read = readJson(text);
    if (!isRecord(read))
        return "it is not a JSON object";
    if (read.version !== history_text_VERSION)
        return `its version is not ${history_text_VERSION}`;
    if (!isRecord(read.machines))
        return "it has no machines";
    const machine = machineSchema(now);
    const entries = Object.entries(read.machines).map(([id, entry]) => [id, machine.safeParse(entry).data]);
    const wrong = entries.findIndex(([id, entry]) => !(/^[1-9]\d*$/.test(id) && isMachineId(Number(id))) || entry === undefined);
    if (wrong >= 0)
        return `its machine number ${wrong + 1} can't be read`;
    return new Map(entries.flatMap(([id, entry]) => (entry ? [[Number(id), entry]] : [])));
}
/** An entry with a field of others, or with a time that no clock tells, is refused. */
function machineSchema(now) {
    const time = schemas_int()
        .positive()
        .max(now + history_text_CLOCKS_DIFFER_MS);
    const length = schemas_int().refine(isBootTime);
    const image = schemas_string().regex(/^[0-9a-f]{16}$/);
    const boot = strictObject({ at: time, image, estimateMs: length.optional(), actualMs: length });
    return strictObject({ failedAt: time.optional(), servedAt: time.optional(), boots: array(boot) });
}

;// CONCATENATED MODULE: ./lib/action/history-file.js






/** The file that the input `history` names. A faulty one is a warning, and counts as none. */
class HistoryFile {
    #path;
    #log;
    #clock;
    #isBroken = false;
    /** `path` is relative to the workspace, or to the home folder where it begins with `~/`. */
    constructor(path, { log, clock }) {
        this.#path = path.startsWith("~/") ? (0,external_node_path_.join)((0,external_node_os_namespaceObject.homedir)(), path.slice(2)) : (0,external_node_path_.resolve)(path);
        this.#log = log;
        this.#clock = clock;
    }
    /** Its content; nothing where it is not there yet. */
    async read() {
        const read = await this.#tryRead();
        if (typeof read !== "string")
            return prune(read, this.#clock.now());
        this.#warn(`can't be used: ${read}. This run goes on as if there were none`);
        return NO_HISTORY;
    }
    /** Adds to what another run may have written meanwhile. Readers see old or new, never a part. */
    async write(history) {
        const before = await this.#tryRead();
        const known = typeof before === "string" ? NO_HISTORY : before;
        const text = historyText(prune(history_merge(known, history), this.#clock.now()));
        const draft = `${this.#path}.${process.pid}.tmp`;
        try {
            await (0,promises_.mkdir)((0,external_node_path_.dirname)(this.#path), { recursive: true });
            await (0,promises_.writeFile)(draft, text, { mode: 0o600 });
            await (0,promises_.rename)(draft, this.#path);
        }
        catch (error) {
            await (0,promises_.rm)(draft, { force: true }).catch(() => { });
            this.#warn(`can't be written: ${codeOf(error)}`);
        }
    }
    /** A text: why it can't be read. */
    async #tryRead() {
        try {
            const found = await (0,promises_.stat)(this.#path);
            if (!found.isFile())
                return "it is not a file";
            if (found.size > MOST_HISTORY_BYTES)
                return `it has more than ${MOST_HISTORY_BYTES / 1e6} MB`;
            return readHistoryText(await (0,promises_.readFile)(this.#path, "utf8"), this.#clock.now());
        }
        catch (error) {
            return codeOf(error) === "ENOENT" ? NO_HISTORY : codeOf(error);
        }
    }
    /** Once: the same file is read and written many times. */
    #warn(what) {
        if (this.#isBroken)
            return;
        this.#isBroken = true;
        this.#log.warning(`The history ${oneLine(this.#path, 200)} ${what}.`);
    }
}
function codeOf(error) {
    return error instanceof Error && "code" in error ? String(error.code) : oneLine(String(error), 200);
}

;// CONCATENATED MODULE: ./lib/action/kept-history.js


/** The history of machines in this use, in the file of the input `history` where there is one. */
class KeptHistory {
    isKept;
    #known;
    #written = Promise.resolve();
    #file;
    constructor(file, known) {
        this.#file = file;
        this.#known = known;
        this.isKept = known.size > 0;
    }
    /** `path`: empty for none. */
    static async open(path, room) {
        const file = path === "" ? undefined : new HistoryFile(path, room);
        return new KeptHistory(file, (await file?.read()) ?? NO_HISTORY);
    }
    get known() {
        return this.#known;
    }
    /** Written at once: a workflow's step that saves the file runs before our post. */
    note(fate) {
        this.#known = withFate(this.#known, fate);
        const known = this.#known;
        this.#written = this.#written.then(() => this.#file?.write(known));
    }
    async [Symbol.asyncDispose]() {
        await this.#written;
    }
}

;// CONCATENATED MODULE: ./lib/action/policy-of-inputs.js

/** The policy of the fleet, by the inputs. */
function policyOf(inputs, { attempt }) {
    const { idleMs, lifetimeMs, readyMs } = limitsOf(inputs);
    return {
        machines: inputs.machines,
        jobs: inputs.jobs,
        hedge: inputs.hedge && inputs.hold && inputs.machines > 1,
        hold: inputs.hold,
        maxPrice: inputs["max-price"],
        attempts: inputs.attempts,
        machinesPerRepository: inputs["machines-per-repository"],
        waitForJobMs: inputs["wait-for-job"],
        idleMs,
        readyMs,
        searchMs: inputs["search-timeout"],
        lifetimeMs,
        keepFailedMs: inputs["keep-failed"],
        attempt,
        hasProbe: inputs.probe !== "",
        bidFallback: inputs["bid-fallback"],
        makesVolume: inputs["volume-create-new"],
    };
}

;// CONCATENATED MODULE: ./lib/sweep/attempt-asker.js


/** Who sweeps. */
function sweeperOf({ serverUrl, runId, attempt }, repositoryId) {
    return { server: serverLetters(serverUrl), repositoryId, runId, attempt };
}
/** Asks GitHub whether an attempt is over. Faults are told once, and never taken as evidence. */
function attemptAsker(attempts, clock, tell) {
    const told = new Set();
    const tellOnce = (error) => {
        if (!told.has(error.name))
            tell(`Which runs are over can't be seen. ${error.message} ${error.hint ?? ""}`, error);
        told.add(error.name);
    };
    return (attempt, signal) => attempt_asker_ask(attempts, clock, attempt, signal).catch((error) => doubt(error, signal, tellOnce));
}
function doubt(error, signal, tell) {
    if (signal.aborted)
        return { kind: "unknown", why: "there was no time left to ask" };
    if (!(error instanceof UserError))
        throw error;
    tell(error);
    return { kind: "unknown", why: "GitHub could not be asked" };
}
async function attempt_asker_ask(attempts, clock, { runId, attempt }, signal) {
    const seen = await attempts.get(runId, attempt, signal);
    if (seen === undefined)
        return { kind: "unknown", why: "GitHub knows no such run, or hides it from job-token" };
    return seen.isCompleted ? { kind: "completed", since: clock.now() - seen.unchangedForMs } : { kind: "open" };
}

;// CONCATENATED MODULE: ./lib/sweep/sweep.js



/** Destroying is given up after so long; each more of many adds a call's pace and a little. */
const sweep_DESTROY_WITHIN_MS = 120_000;
const EACH_MORE_MS = 8_000;
/** Destroys the leftovers in a list of instances, all at once, and sees that they are gone. */
async function sweepOnce(sweeping, instances, begun) {
    const { clock, maxDestroy, sweeper } = sweeping;
    const owned = ownedInstances(instances, sweeper);
    const states = await askAttempts(sweeping, owned);
    const now = clock.now();
    const judged = owned.map((each) => {
        const state = states.get(attemptName(each.label));
        return { owned: each, verdict: judgeLeftover(each.label, { sweeper, state, now, begun }) };
    });
    const doomed = judged.filter(({ verdict }) => verdict.kind === "destroy").slice(0, maxDestroy);
    const until = now + sweep_DESTROY_WITHIN_MS + doomed.length * EACH_MORE_MS;
    const ours = await Promise.all(judged.map(async (each) => ({
        owned: each.owned,
        fate: doomed.includes(each) ? await sweep_destroy(sweeping, each.owned, each.verdict.why, until) : left(each.verdict),
    })));
    const waits = judged.flatMap(({ verdict }) => (verdict.kind === "wait" ? [verdict.until] : []));
    const lookAgainAt = waits.length > 0 ? Math.max(...waits) : undefined;
    return { seen: instances.length, foreign: instances.length - owned.length, ours, lookAgainAt };
}
/** The machines that are still there after a sweep. */
function aliveAfter({ ours }) {
    return ours.filter(({ fate }) => fate.kind !== "destroyed" && fate.kind !== "was-gone").map(({ owned }) => owned);
}
/**
 * The whole sweep: one look, and when a run has ended less than a minute before, a second one after
 * that minute. Throws when the first list can't be read; what the first look did is never hidden.
 */
async function sweepAll(sweeping) {
    const { clock, isDryRun, log, maxDestroy, service, signal } = sweeping;
    const begun = clock.now();
    const first = await sweepOnce(sweeping, await service.listInstances(signal), begun);
    const rest = maxDestroy - first.ours.filter(({ fate }) => fate.kind !== "left").length;
    if (first.lookAgainAt === undefined || isDryRun || rest <= 0)
        return first;
    log.info("A run ended less than a minute ago; looking again when that minute is over.");
    try {
        await clock.sleep(first.lookAgainAt - clock.now(), signal);
        const second = await sweepOnce({ ...sweeping, maxDestroy: rest }, await service.listInstances(signal), begun);
        return join(first, second);
    }
    catch (fault) {
        return { ...first, fault };
    }
}
/** The second look knows better, but for what the first one had done. */
function join(first, second) {
    const done = first.ours.filter(({ fate }) => fate.kind !== "left");
    const again = new Set(second.ours.filter(({ fate }) => fate.kind !== "left").map(({ owned }) => owned.id));
    const kept = done.filter(({ owned }) => !again.has(owned.id));
    const ids = new Set(kept.map(({ owned }) => owned.id));
    return { ...second, seen: first.seen, ours: [...kept, ...second.ours.filter(({ owned }) => !ids.has(owned.id))] };
}
async function askAttempts(sweeping, owned) {
    const { clock, askAttempt, signal, sweeper } = sweeping;
    const states = new Map();
    for (const attempt of attemptsToAsk(owned, sweeper, clock.now())) {
        states.set(attemptName(attempt), await askAttempt(attempt, signal));
    }
    return states;
}
async function sweep_destroy(sweeping, { id, label }, why, until) {
    const { isDryRun, log } = sweeping;
    const whose = `Leftover instance ${id} (run ${label.runId}, attempt ${label.attempt})`;
    if (isDryRun) {
        log.info(`${whose} would be destroyed: ${why}.`);
        return { kind: "would-go", why };
    }
    try {
        // A listed instance is visible: it need not be a minute old for "there is none" to count.
        const kind = await destroyInstance({ ...sweeping, until }, { id, createdAt: 0 });
        log.info(`${whose} ${kind === "destroyed" ? "is destroyed" : "had given itself back"}: ${why}.`);
        return { kind, why };
    }
    catch (error) {
        if (!(error instanceof UserError || sweeping.signal.aborted))
            throw error;
        const reason = sweep_reasonOf(error);
        log.info(`${whose} could not be destroyed: ${reason}.`);
        return { kind: "refused", why: reason };
    }
}
function sweep_reasonOf(error) {
    if (!(error instanceof UserError))
        return "the time for it was over";
    return error.cause instanceof Error ? error.cause.message.replace(/\.$/, "") : "it is still listed";
}
function left(verdict) {
    if (verdict.kind !== "destroy")
        return { kind: "left", why: verdict.why };
    return { kind: "left", why: `${verdict.why}, and max-destroy was reached: the next sweep takes it` };
}

;// CONCATENATED MODULE: ./lib/action/sweep-first.js



/** The sweep's time before a rent, in milliseconds; the next one does what is left. */
const SWEEP_WITHIN_MS = 5000;
/** The service wants three seconds between destructions: no more can be done in that time. */
const MOST_DESTROYED = 2;
/**
 * Destroys leftovers of other runs for five seconds; none of it fails the rent. `instances`: the
 * account's, as they were listed a moment ago.
 */
async function sweepFirst(rooms, run, { instances, signal }) {
    const sweeper = sweeperOf(run, await rooms.repositoryId(signal));
    if (ownedInstances(instances, sweeper).length === 0)
        return { sweeper, leaving: new Set() };
    const { attempts, clock, log } = rooms;
    const sweeping = {
        ...rooms,
        sweeper,
        askAttempt: attemptAsker(attempts, clock, (line) => log.info(line)),
        maxDestroy: MOST_DESTROYED,
        isDryRun: false,
        signal: AbortSignal.any([signal, AbortSignal.timeout(SWEEP_WITHIN_MS)]),
    };
    const { ours } = await log.stage("Sweep leftovers", () => sweepOnce(sweeping, instances, clock.now()));
    signal.throwIfAborted();
    return { sweeper, leaving: new Set(ours.filter(({ fate }) => fate.kind !== "left").map(({ owned }) => owned.id)) };
}

;// CONCATENATED MODULE: ./lib/action/open-use.js














/** Checks all, destroys leftovers and draws this use's mark; machines may be rented after that. */
async function openUse(opening, progress) {
    const { inputs, run, rooms, signal, size } = opening;
    const context = { startedAt: progress.begunAt, runnerLabel: run.runnerLabel, maxCost: inputs["max-cost"] };
    const checked = await checkBeforeRenting(rooms, run.runnerLabel, inputs["min-credit"], signal);
    const { leaving, sweeper } = await sweepFirst(rooms, run, { ...checked, signal });
    const repositoryId = await rooms.repositoryId(signal);
    const use = drawMark(rooms, run, repositoryId);
    progress.use = use;
    noteContext({ ...context, credit: checked.credit });
    const machine = await volumeMachine({ ...rooms, signal }, volumeOf(inputs));
    const request = fleetRequest(inputs, run, { ...use, ...checked, imageBytes: await size.bytes(), machine });
    use.fleet.instancesAt = rooms.clock.now();
    use.fleet.repositoryAlive = aliveOf(checked.instances, sweeper, leaving).length;
    const history = await KeptHistory.open(inputs.history, rooms);
    const deps = {
        ...rooms,
        history,
        runners: use.runners,
        ledger: use.ledger,
        signal,
        listJobs: (stop) => jobsOrUndefined(rooms.jobs, stop),
        whose: whoseOf(run, inputs["job-check-run-id"], use.runnerNamePrefix),
        requestsLeft: () => rooms.jobs.requestsLeft,
        aliveOfRepository: (instances) => aliveOf(instances, sweeper, leaving).length,
    };
    return { ...opening, use, deps, request, policy: policyOf(inputs, run), history, context };
}
/** Written down before anything that rents: post must be able to find whatever comes. */
function drawMark(rooms, run, repositoryId) {
    const use = drawUse();
    const { runId, attempt, runnerLabel } = run;
    const prefix = labelPrefix({ server: serverLetters(run.serverUrl), repositoryId, runId, attempt, use });
    ledgerWriter.prefix(prefix);
    rooms.log.info(`Everything that this use rents is labelled ${prefix}.…`);
    const runnerNamePrefix = `${runnerLabel}-${use}`;
    const runners = runnersPort(rooms, runnerLabel, `${runnerNamePrefix}-`);
    const fleet = emptyFleet(rooms.clock.now());
    return { prefix, runnerNamePrefix, isGivenBack: false, ledger: ledgerWriter, runners, fleet };
}

;// CONCATENATED MODULE: ./lib/action/template-errors.js



const MOST_SHOWN = 8;
/** The workflow file: no template has that name, or several have it. */
class TemplateNameError extends UserError {
    name = "TemplateNameError";
    constructor(name, found) {
        const shown = found.slice(0, MOST_SHOWN).map(describeTemplate).join(", ");
        const many = `${found.length} templates are named "${name}": ${shown}`;
        super(`${found.length === 0 ? `No template is named "${name}"` : many}. ${NOTHING_RENTED}`, {
            hint: found.length === 0
                ? "Check template-name: it must be the template's whole name, letter by letter. Or give its hash_id as template-hash-id instead."
                : "Leave out template-name, and give the hash_id of the one that is meant as template-hash-id.",
        });
    }
}
function describeTemplate({ hash_id, creator_id }) {
    return `${oneLine(hash_id, 64)}${creator_id === undefined ? "" : ` (by user ${creator_id})`}`;
}

;// CONCATENATED MODULE: ./lib/action/template-of-inputs.js









/**
 * Looks at the template that the inputs name: a name becomes its hash, filters and image count in
 * the search. Throws if a name can't be resolved, unless everything is only checked.
 */
async function resolveTemplate(asking, inputs, signal) {
    if (`${inputs["template-name"]}${inputs["template-hash-id"]}` === "")
        return { inputs };
    const resolved = await lookAtTemplate(asking, inputs, signal);
    refuseAlpine(resolved.inputs);
    return resolved;
}
/** `image` itself was looked at with the inputs; that of a template is known only now. */
function refuseAlpine({ image, template }) {
    if (image !== "" || template === undefined || !isAlpineImage(template.image))
        return;
    const words = `image: the template's is built on Alpine, on which the runner program does not start, allowed is an image with glibc, the template has "${template.image}"`;
    throw new InputError([{ name: "image", line: words }], NOTHING_RENTED);
}
async function lookAtTemplate(asking, inputs, signal) {
    return await asking.log.stage("Look at the template", async () => {
        try {
            const template = await findTemplate(asking, inputs, signal);
            const resolved = { ...inputs, "template-hash-id": template.hash_id, template: template_of_inputs_factsOf(template, asking) };
            const answer = template_of_inputs_tell(template, resolved, asking);
            return { inputs: Object.freeze(resolved), answer };
        }
        catch (error) {
            signal.throwIfAborted();
            if (!(error instanceof UserError))
                throw error;
            return withoutTemplate(asking, inputs, error);
        }
    });
}
/** A hash needs no look: unknown parts don't count in the search, and the create proves it. */
function withoutTemplate({ log }, inputs, fault) {
    if (inputs.check)
        return { inputs, fault };
    if (inputs["template-name"] !== "")
        throw fault;
    log.warning(`The template's filters and image don't count in the search: it could not be looked at. ${fault.message}`);
    return { inputs, fault };
}
async function findTemplate({ service }, { "template-name": name, "template-hash-id": hash }, signal) {
    const filters = name === "" ? { hash_id: { eq: hash } } : { name: { eq: name } };
    const rows = await service.searchTemplates(filters, signal);
    // The service may ignore filters. Templates with one hash say the same: any will do.
    const meant = rows.filter((row) => (name === "" ? row.hash_id === hash : row.name?.trim() === name));
    const found = [...new Map(meant.map((row) => [row.hash_id, row])).values()];
    const [only, ...others] = found;
    if (only !== undefined && others.length === 0)
        return only;
    throw name === ""
        ? new NoSuchTemplate(`The service shows no template with the hash_id ${hash}.`)
        : new TemplateNameError(name, found);
}
/** Not for people to meet as an error: it becomes a warning or the answer of a check. */
class NoSuchTemplate extends UserError {
}
function template_of_inputs_factsOf(template, { log }) {
    const { image = "", tag, default_tag } = template;
    const own = image === ""
        ? ""
        : fullImage(/:[^/]+$/.test(image) || !(tag ?? default_tag) ? image : `${image}:${tag ?? default_tag}`);
    const isImage = inputSchema.shape.image.safeParse(own).success;
    return { image: isImage ? own : "", filter: readFilters(template.extra_filters ?? {}, log) };
}
/** Reads each field by itself: a bad one must not cost the others. Our own fields are skipped. */
function readFilters(given, log) {
    const read = Object.entries(given).flatMap(([field, filter]) => {
        const answer = inputSchema.shape["offer-filter"].safeParse(JSON.stringify({ [field]: filter }));
        if (!answer.success)
            log.info(`The template's filter on ${oneLine(field, 60)} is left out: ${answer.error.issues[0]?.message}.`);
        return answer.success ? Object.entries(answer.data) : [];
    });
    return Object.fromEntries(read);
}
function template_of_inputs_tell(template, { image, template: facts }, { log }) {
    const words = `"${oneLine(template.name ?? "", 80)}", hash_id ${oneLine(template.hash_id, 64)}`;
    log.info(`The template is ${words}.`);
    if (image === "")
        log.info(`Its image is ${facts?.image || "not known"}.`);
    const filters = Object.entries(facts?.filter ?? {}).map(([field, filter]) => `${field} ${describeFilter(filter)}`);
    if (filters.length > 0)
        log.info(`It filters offers by ${oneLine(filters.join(", "))}; what the inputs ask of the same field wins.`);
    return words;
}

;// CONCATENATED MODULE: ./lib/action/run-main.js
var run_main_addDisposableResource = (undefined && undefined.__addDisposableResource) || function (env, value, async) {
    if (value !== null && value !== void 0) {
        if (typeof value !== "object" && typeof value !== "function") throw new TypeError("Object expected.");
        var dispose, inner;
        if (async) {
            if (!Symbol.asyncDispose) throw new TypeError("Symbol.asyncDispose is not defined.");
            dispose = value[Symbol.asyncDispose];
        }
        if (dispose === void 0) {
            if (!Symbol.dispose) throw new TypeError("Symbol.dispose is not defined.");
            dispose = value[Symbol.dispose];
            if (async) inner = dispose;
        }
        if (typeof dispose !== "function") throw new TypeError("Object not disposable.");
        if (inner) dispose = function() { try { inner.call(this); } catch (e) { return Promise.reject(e); } };
        env.stack.push({ value: value, dispose: dispose, async: async });
    }
    else if (async) {
        env.stack.push({ async: true });
    }
    return value;
};
var run_main_disposeResources = (undefined && undefined.__disposeResources) || (function (SuppressedError) {
    return function (env) {
        function fail(e) {
            env.error = env.hasError ? new SuppressedError(e, env.error, "An error was suppressed during disposal.") : e;
            env.hasError = true;
        }
        var r, s = 0;
        function next() {
            while (r = env.stack.pop()) {
                try {
                    if (!r.async && s === 1) return s = 0, env.stack.push(r), Promise.resolve().then(next);
                    if (r.dispose) {
                        var result = r.dispose.call(r.value);
                        if (r.async) return s |= 2, Promise.resolve(result).then(next, function(e) { fail(e); return next(); });
                    }
                    else s |= 1;
                }
                catch (e) {
                    fail(e);
                }
            }
            if (s === 1) return env.hasError ? Promise.reject(env.error) : Promise.resolve();
            if (env.hasError) throw env.error;
        }
        return next();
    };
})(typeof SuppressedError === "function" ? SuppressedError : function (error, suppressed, message) {
    var e = new Error(message);
    return e.name = "SuppressedError", e.error = error, e.suppressed = suppressed, e;
});














/** The main step: rents and holds; a failure is told, and leaves no machine or job behind. */
async function runMain(signal) {
    const progress = { begunAt: systemClock.now() };
    try {
        await rentAndHold(progress, signal);
    }
    catch (error) {
        await failInOrder(error, progress, signal);
    }
}
/** The story: check, wait for a job, rent, hold until the job is over; post gives back. */
async function rentAndHold(progress, signal) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const given = readInputs();
        const run = readRunContext(given.name);
        const service = run_main_addDisposableResource(env_1, openService(given), true);
        const rooms = { ...service, ...openGithub(given, run) };
        for (const line of oddInputs(given))
            rooms.log.info(line);
        const template = await resolveTemplate(rooms, given, signal);
        const { inputs } = template;
        const size = run_main_addDisposableResource(env_1, askForSize(rooms, inputs, signal), true);
        if (inputs.check)
            return await checkOnly({ rooms, inputs, template, run, signal, imageBytes: () => size.bytes() });
        const opened = await openUse({ inputs, run, rooms, size, signal }, progress);
        const { deps, request, policy, use } = opened;
        const _history = run_main_addDisposableResource(env_1, opened.history, true);
        const _told = run_main_addDisposableResource(env_1, tellMachinesAtEnd(rooms, use.fleet), false);
        const announcer = new Announcer(opened);
        const end = await runFleet(deps, request, policy, use.fleet, (fleet) => announcer.look(fleet));
        concludeMain(opened, end);
    }
    catch (e_1) {
        env_1.error = e_1;
        env_1.hasError = true;
    }
    finally {
        const result_1 = run_main_disposeResources(env_1);
        if (result_1)
            await result_1;
    }
}

;// CONCATENATED MODULE: ./lib/main.js


/** The main step. */
const main = () => runEntry(runMain);

;// CONCATENATED MODULE: ./lib/report/told-use.js


/** Puts together what there is to tell of a use; `end` in milliseconds since the epoch. */
function tellUse(ledger, used, around, end) {
    return {
        ...around,
        machines: [...ledger.reports].map(([n, report]) => ({ n, report: withEnd(withFigures(report, used), used, end) })),
        taken: told_use_takenOffers(ledger),
        wasAsked: ledger.pending.size > 0,
        isUncertain: [...ledger.pending.keys()].some((n) => !ledger.created.has(n)),
        destroyed: used.destroyed,
        undestroyed: used.undestroyed,
        mainEnd: ledger.end,
        end,
    };
}
/** A job loads on when main is over, as with `hold: false`. */
function withFigures(report, { shown = [] }) {
    const copy = { ...report, at: { ...report.at } };
    for (const instance of shown)
        if (instance.id === report.instanceId)
            noteFigures(copy, instance);
    return copy;
}
/** Post destroyed some, which were there until then; when the others went, nobody saw. */
function withEnd(report, { destroyed, undestroyed, goneAt }, end) {
    const { at, instanceId, last } = report;
    const seenGone = goneAt?.get(instanceId);
    if (destroyed.includes(instanceId))
        return { ...report, at: { ...at, gone: seenGone ?? end }, last: `destroyed by post (${last})` };
    const isInDoubt = seenGone === undefined && undestroyed.length > 0;
    if (at.gone !== undefined || isInDoubt)
        return report;
    const why = last === "ready" ? "gave itself back" : `gave itself back (${last})`;
    return { ...report, at: { ...at, gone: unseenEnd(report, seenGone) }, last: why };
}
/** A machine looks at the clock every 15 s. */
const TICK_MS = 15_000;
/** Unseen ends came before post looked, and soon after the deadline at the latest. */
function unseenEnd({ deadline = Number.POSITIVE_INFINITY }, seenGone) {
    return seenGone === undefined ? undefined : Math.min(seenGone, deadline * 1000 + TICK_MS);
}
/** Offers that somebody else had. After a main that was cut off, only those that are sure. */
function told_use_takenOffers({ created, end }) {
    if (end !== undefined && "taken" in end)
        return end.taken;
    return [...created.values()].filter((id) => id === "none").length;
}
/** The machine that a job ran on; without any the one that came to a runner last; else the last. */
function mainMachine(machines) {
    // A spare may come online after the one that has the job.
    return (machines.findLast(({ report }) => report.jobs?.length) ??
        machines.findLast(({ report }) => report.at.online !== undefined) ??
        machines.at(-1));
}
/** The cost of all machines together. */
function told_use_costOf({ machines, end }) {
    const reports = machines.map(({ report }) => report);
    return totalCost(reports, end);
}

;// CONCATENATED MODULE: ./lib/report/sums.js






/** For the log and the summary. */
const UNUSED = "No job ever used a machine of this step.";
/** True when machines were rented, and the jobs could be seen, and none was on one. */
function isUnused({ jobs, machines }) {
    const hasRun = jobs?.ours.some(({ runnerName, state }) => state === "running" || runnerName !== undefined);
    return machines.length > 0 && hasRun === false && machines.every(({ report }) => !report.jobs?.length);
}
/** The cost of the use in parts, by job and for spares, and how many such runs are left. */
function sumLine(use) {
    const { context, end, machines } = use;
    const { bytes, total } = told_use_costOf(use);
    const github = context === undefined ? 0 : holderOf(context.startedAt, end).usd;
    const parts = [
        `machines ${bare(total - (bytes ?? 0))}`,
        bytes === undefined ? "bytes not counted" : `bytes ${bare(bytes)}${uncounted(use)}`,
        context === undefined ? "GitHub not known" : `and ${bare(github)} more for GitHub if the repository is private`,
    ];
    const count = machines.reduce((sum, { report }) => sum + (report.jobs?.length ?? 0), 0);
    return [
        `${formatPrice(total)}: ${parts.join(", ")}.`,
        ...(count === 0 ? [] : [`${bare(total / count)} a job (${count}).`]),
        ...spareSentence(use),
        ...unknownSentence(use),
        ...creditSentence(context?.credit, total),
    ].join(" ");
}
/** Follows the sum of bytes that only some machines have. */
function uncounted({ end, machines }) {
    const without = machines.filter(({ report }) => actualCost(report, end).bytes === undefined).length;
    return without === 0 ? "" : ` (those of ${counted(without, "machine")} not counted)`;
}
/** The part of the sum that went to machines that no job needed, if any. */
function spareSentence({ end, machines }) {
    const reports = machines.map(({ report }) => report);
    const { machines: spares, total } = sparesOf(reports, end);
    if (spares === 0)
        return [];
    return [`${bare(total)} of it for ${counted(spares, "spare")} that no job needed.`];
}
/** The cost of what post destroyed is in no sum where main had written down nothing of it. */
function unknownSentence({ destroyed, machines }) {
    const told = new Set(machines.map(({ report }) => report.instanceId));
    const unknown = destroyed.filter((id) => !told.has(id));
    if (unknown.length === 0)
        return [];
    const [what, them] = unknown.length === 1 ? ["instance", "it"] : ["instances", "them"];
    return [`What ${what} ${unknown.join(", ")} cost is not known: nothing was written down of ${them}.`];
}
function creditSentence(credit, total) {
    if (credit === undefined || total <= 0)
        return [];
    const left = Math.max(0, credit - total);
    const runs = Math.floor(left / total);
    return [
        `Credit about ${bare(left)}, ${runs === 0 ? "too little for another such run" : `some ${counted(runs, "such run")}`}.`,
    ];
}
/** After the first sum the currency is known. */
function bare(usd) {
    return formatPrice(usd).replace(" USD", "");
}

;// CONCATENATED MODULE: ./lib/report/outcome.js






const outcome_MOST_CHARACTERS = 600;
/** A signal without a cancel: nothing else sends one. */
const STEP_TIMEOUT = "The job itself was not cancelled: timeout-minutes of this step ran out. Set timeout-minutes on the job instead.";
/** The first that applies, the gravest first. Undefined: the next one. */
const outcome_RULES = [
    ({ undestroyed, mainEnd }) => undestroyed.length > 0 ? { title: "A machine may still be billing.", details: failureDetails(mainEnd) } : undefined,
    takenFromJob,
    outcome_failure,
    stop,
    ({ mainEnd }) => mainEnd === undefined
        ? {
            title: "The main step was cut off before it could say how it ended.",
            details: ["It was killed, or the machine that it ran on was lost."],
        }
        : undefined,
    outcome_success,
];
/** Tells how a use came out, first of all what costs money or a job. */
function outcome_outcomeOf(use) {
    const outcomes = outcome_RULES.map((rule) => rule(use));
    return outcomes.find((outcome) => outcome !== undefined) ?? { title: whatIsLeft(use), details: [] };
}
/** The machine went while a job needed it. */
function takenFromJob({ destroyed, jobs, jobStatus, mainEnd }) {
    if (destroyed.length === 0 || jobs === undefined)
        return undefined;
    const why = mainEnd?.kind === "failed" ? failureDetails(mainEnd) : [outcome_reasonOf(jobStatus, mainEnd)];
    const has = (state) => jobs.ours.some((job) => job.state === state);
    if (has("running"))
        return { title: "The machine was given back under a running job.", details: why };
    const isWaiting = has("waiting") && jobStatus === "success";
    return isWaiting
        ? { title: "The machine was given back while the GPU job was waiting for it.", details: why }
        : undefined;
}
function outcome_reasonOf(jobStatus, mainEnd) {
    if (jobStatus === "cancelled")
        return "The job that rents was cancelled.";
    if (mainEnd === undefined)
        return "The main step was cut off.";
    return mainEnd.kind === "stopped" ? STEP_TIMEOUT : "The job that rents ended before the GPU job did.";
}
function outcome_failure(use) {
    const { mainEnd, machines } = use;
    if (mainEnd?.kind !== "failed")
        return undefined;
    const details = failureDetails(mainEnd);
    // The table tells of each machine that was tried: the whole message would say it twice.
    if (mainEnd.what === "no-machine" && machines.length === 0)
        return { title: "No machine could be had.", details };
    const ran = mainEnd.what === "job-failed" ? machineSentence(use, "It ran on") : [];
    return { title: escaped(firstSentence(mainEnd.message)), details: [...ran, ...details.slice(1)] };
}
/** The whole message, and what to do. */
function failureDetails(mainEnd) {
    if (mainEnd?.kind !== "failed")
        return [];
    const { message, hint } = mainEnd;
    return [escaped(message), ...(hint === undefined ? [] : [`What to do: ${escaped(hint)}`])];
}
/** The sentence where no machine was ever seen. */
function nothingLeft({ isUncertain }) {
    return isUncertain
        ? "Nothing is rented any more. What came of one create is not known: nothing of it is listed."
        : "Nothing was rented.";
}
/** The rest of a stop. Main may have written down nothing of what post destroyed. */
function whatIsLeft(use) {
    const wasRented = use.machines.length > 0 || use.destroyed.length > 0;
    return wasRented ? "What was rented is given back." : nothingLeft(use);
}
function stop(use) {
    const { jobStatus, mainEnd } = use;
    const end = whatIsLeft(use);
    if (jobStatus === "cancelled")
        return { title: `The job was cancelled. ${end}`, details: [] };
    if (mainEnd?.kind !== "stopped")
        return undefined;
    return {
        title: `The step was stopped before the GPU job was over. ${end}`,
        details: [STEP_TIMEOUT],
    };
}
function outcome_success(use) {
    if (use.mainEnd?.kind === "no-job")
        return { title: escaped(firstSentence(use.mainEnd.message)), details: [] };
    const [title] = machineSentence(use, use.mainEnd?.kind === "over" ? "The GPU job ran on" : "Rented:");
    return title === undefined ? undefined : { title, details: [] };
}
/** Such as: The GPU job ran on 1 × RTX 4090 at 0.35 USD per hour: about 0.06 USD, 9m. */
function machineSentence(use, begin) {
    const { machines, end } = use;
    const machine = mainMachine(machines);
    if (machine === undefined)
        return [];
    const what = isUnused(use) ? "Rented:" : begin;
    const cost = formatPrice(told_use_costOf(use).total);
    const served = machines.filter(({ report }) => report.jobs?.length);
    const jobs = served.flatMap(({ report }) => report.jobs ?? []).length;
    if (jobs > 1)
        return [
            `${jobs} GPU jobs ran on ${served.length === 1 ? "one machine" : `${served.length} machines`}: about ${cost}, ${formatDuration(longest(machines, end))}.`,
        ];
    const { at, price } = machine.report;
    const time = formatDuration((at.gone ?? end) - (at.created ?? at.asked));
    return [`${what} ${escaped(gpuOf(machine.report))} at ${formatPrice(price.total)} per hour: about ${cost}, ${time}.`];
}
/** From the first create to the last end, in milliseconds. */
function longest(machines, end) {
    const at = machines.map(({ report }) => report.at);
    return Math.max(...at.map(({ gone }) => gone ?? end)) - Math.min(...at.map(({ asked }) => asked));
}
/** Up to the first full stop that ends one: not that of 0.60, nor one before a small letter. */
function firstSentence(text) {
    return /^.*?[.!?](?=\s+["(]?\p{Lu}|\s*$)/u.exec(text)?.[0] ?? text;
}
function escaped(text) {
    return withoutMarkdown(text, outcome_MOST_CHARACTERS);
}

;// CONCATENATED MODULE: ./lib/report/timelines.js


const WIDTH = 40;
const LEGEND = "· asked  ░ booting  ▒ starting  ─ ready  █ busy";
/** A text bar for each machine on one axis of time, and how long its stages took; `end`: now. */
function timelines(machines, end) {
    const begin = Math.min(...machines.map(({ report }) => report.at.asked));
    const last = Math.max(...machines.map(({ report }) => report.at.gone ?? end));
    const span = formatDuration(last - begin);
    const axis = ["", `0s${span.padStart(WIDTH - 2)}`, ""];
    const rows = machines.map(({ n, report }) => {
        const stretches = stretchesOf(report, end);
        return [`machine ${n}`, barOf(stretches, begin, last), inWords(stretches)];
    });
    return rows.length === 0 ? [] : [...textTable([axis, ...rows]), LEGEND];
}
/** In the order in which they are drawn: a later one covers an earlier one. */
function stretchesOf({ at, jobs = [] }, end) {
    const gone = at.gone ?? end;
    const busy = jobs.map(({ seconds, started }) => ({
        name: "busy",
        mark: "█",
        from: started,
        to: started === undefined ? undefined : Math.min(gone, seconds === undefined ? gone : started + seconds * 1000),
    }));
    return [
        { name: "asked", mark: "·", from: at.asked, to: at.created ?? gone },
        { name: "booting", mark: "░", from: at.created, to: at.running ?? gone },
        { name: "starting", mark: "▒", from: at.running, to: at.online ?? gone },
        { name: "ready", mark: "─", from: at.online, to: gone },
        ...busy,
    ];
}
/** Each stretch has a cell at least, which the next one may cover. */
function barOf(stretches, begin, last) {
    const cells = Array(WIDTH).fill(" ");
    const cellOf = (moment) => Math.floor(((moment - begin) / Math.max(1, last - begin)) * WIDTH);
    for (const { from, mark, to } of stretches) {
        if (from === undefined || to === undefined)
            continue;
        const first = Math.max(0, Math.min(WIDTH - 1, cellOf(from)));
        cells.fill(mark, first, Math.max(first + 1, cellOf(to)));
    }
    return cells.join("");
}
/** Such as `booting 1m 33s, starting 45s, busy 5m`: the time without a job is what is left. */
function inWords(stretches) {
    const sums = new Map();
    for (const { from, name, to } of stretches)
        if (from !== undefined && to !== undefined)
            sums.set(name, (sums.get(name) ?? 0) + Math.max(0, to - from));
    const ready = sums.get("ready");
    if (ready !== undefined)
        sums.set("ready", Math.max(0, ready - (sums.get("busy") ?? 0)));
    const told = [...sums].filter(([, milliseconds]) => milliseconds >= 1000);
    return told.map(([name, milliseconds]) => `${name} ${formatDuration(milliseconds)}`).join(", ");
}

;// CONCATENATED MODULE: ./lib/report/summary.js







/** Four jobs with names of 100 characters; `machineTable` has cut all else. */
const LONGEST_CELL = 600;
/** The job summary, in Markdown, in which foreign text is harmless: result, stages, costs, … */
function summaryMarkdown(use) {
    const { title, details } = outcome_outcomeOf(use);
    const parts = [[`### ${title}`], ...details.map((detail) => [detail]), bars(use), table(use), [stillRented(use)]];
    return `${parts
        .filter((lines) => lines.length > 0)
        .map((lines) => lines.join("\n"))
        .join("\n\n")}\n`;
}
function bars({ machines, end }) {
    return machines.length === 0 ? [] : ["```text", ...timelines(machines, end), "```"];
}
function table(use) {
    const { machines, taken, end } = use;
    if (machines.length === 0)
        return [...takenLine(taken), ...unknownSentence(use)];
    const [titles = [], ...rows] = machineTable(machines, end);
    return [
        ...markdownTable([titles, ...rows.map((row) => row.map((cell) => withoutMarkdown(cell, LONGEST_CELL)))]),
        "",
        ...takenLine(taken),
        sumLine(use),
        ...(isUnused(use) ? [UNUSED] : []),
    ];
}
function stillRented({ undestroyed, wasAsked }) {
    if (undestroyed.length > 0) {
        const what = undestroyed.map((each) => withoutMarkdown(each)).join(", ");
        return `**May still be billing: ${what}.** Destroy it in the service's console.`;
    }
    return `**Still rented: nothing** (${wasAsked ? "the service was asked" : "no create was ever sent"}).`;
}

;// CONCATENATED MODULE: ./lib/report/report-use.js








/** Tells what was rented and what it cost, in the log, the receipt, and the job's summary. */
async function reportUse({ clock, log }, ledger, used, around) {
    const use = { ...tellUse(ledger, used, around, clock.now()), context: readContext() };
    const wasRented = use.machines.length > 0 || use.destroyed.length > 0;
    if (!wasRented && use.undestroyed.length === 0)
        log.info(nothingLeft(use));
    if (wasRented && use.undestroyed.length === 0)
        log.info(`Nothing is rented any more. ${costSentence(use)}`);
    if (wasRented || use.undestroyed.length > 0)
        tellReceipt(log, ledger, use);
    if (isUnused(use))
        log.warning(UNUSED);
    await writeSummary(log, summaryMarkdown(use));
}
/** The last receipt of the use, and what the job that held the machine costs. */
function tellReceipt(log, { prefix = "" }, { context, end: now, machines, undestroyed }) {
    if (context !== undefined) {
        const { minutes, usd } = holderOf(context.startedAt, now);
        log.info(`This step took ${minutes} min on its own runner: ${formatPrice(usd)} in a private repository.`);
    }
    const reports = machines.map(({ report }) => report);
    const facts = { state: "ended", now, labelPrefix: prefix, context, reports, mayStillBill: undestroyed };
    const receipt = writeReceipt(log, facts);
    if (receipt !== "")
        log.info(`The receipt is in ${receipt}.`);
}
function costSentence(use) {
    const { bytes, total } = told_use_costOf(use);
    const ofBytes = bytes === undefined ? "bytes not counted" : `${formatPrice(bytes)} of it for bytes${uncounted(use)}`;
    const known = [`It cost about ${formatPrice(total)}, ${ofBytes}.`, ...spareSentence(use)];
    return [...(use.machines.length === 0 ? [] : known), ...unknownSentence(use)].join(" ");
}

// EXTERNAL MODULE: external "node:stream"
var external_node_stream_ = __nccwpck_require__(7075);
;// CONCATENATED MODULE: external "node:stream/promises"
const external_node_stream_promises_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:stream/promises");
;// CONCATENATED MODULE: ./lib/teardown/jobs-not-failed-error.js

/** This machine: what failing jobs on it takes could not be had. People read it in a warning. */
class JobsNotFailedError extends UserError {
    name = "JobsNotFailedError";
    constructor(reason, cause) {
        super(reason, { cause });
    }
}

;// CONCATENATED MODULE: external "node:child_process"
const external_node_child_process_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:child_process");
// EXTERNAL MODULE: external "node:util"
var external_node_util_ = __nccwpck_require__(7975);
;// CONCATENATED MODULE: ./lib/teardown/run-command.js




/** Where commands are looked for: no step before this one has a say in it. */
const COMMANDS_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const run_command_WITHIN_MS = 60_000;
/**
 * Runs a command of this machine with no variable but PATH. Throws JobsNotFailedError with what it
 * printed when it fails.
 */
async function runCommand([command = "", ...args], signal) {
    try {
        const options = { env: { PATH: COMMANDS_PATH }, timeout: run_command_WITHIN_MS, ...(signal && { signal }) };
        await (0,external_node_util_.promisify)(external_node_child_process_namespaceObject.execFile)(command, args, options);
    }
    catch (error) {
        const { stderr, message } = error;
        const what = [command, ...args].slice(0, 3).join(" ");
        throw new JobsNotFailedError(`"${oneLine(what)} …" failed: ${oneLine(stderr || message)}`, error);
    }
}

;// CONCATENATED MODULE: ./lib/teardown/runner-program.js









/** The folder of the runner program, below its user's. */
const PROGRAM = "program";
/** In it: the hook that fails a job. */
const REFUSAL = "refuse.sh";
/**
 * Downloads GitHub's runner program, checks it, and unpacks it below `folder`; its path. Throws
 * JobsNotFailedError when it is not the right one.
 */
async function fetchRunner({ url, sha256 }, folder, signal) {
    const archive = (0,external_node_path_.join)(folder, "runner.tar.gz");
    const found = await download(url, archive, signal);
    if (found !== sha256)
        throw new JobsNotFailedError(`The runner program has the SHA-256 ${found}, and GitHub names ${sha256}.`);
    const program = (0,external_node_path_.join)(folder, PROGRAM);
    await (0,promises_.mkdir)(program);
    await runCommand(["tar", "--extract", "--gzip", `--file=${archive}`, `--directory=${program}`, "--no-same-owner"], signal);
    await (0,promises_.rm)(archive);
    return program;
}
async function download(url, path, signal) {
    const hash = (0,external_node_crypto_.createHash)("sha256");
    try {
        const response = await fetch(url, { signal });
        if (!response.ok || response.body === null)
            throw new Error(`status ${response.status}`);
        const hashed = async function* (chunks) {
            for await (const chunk of chunks) {
                hash.update(chunk);
                yield chunk;
            }
        };
        await (0,external_node_stream_promises_namespaceObject.pipeline)(external_node_stream_.Readable.fromWeb(response.body), hashed, (0,external_node_fs_namespaceObject.createWriteStream)(path));
    }
    catch (error) {
        const reason = oneLine(error instanceof Error ? error.message : String(error));
        throw new JobsNotFailedError(`The runner program could not be downloaded: ${reason}.`, error);
    }
    return hash.digest("hex");
}
/** The title under which a job that is failed shows the reason, at the head of its log. */
const GROUP = "No GPU machine: this job was ended on purpose, nothing of it has run";
/** Puts into the program what each runner of it shows, and does should it ever have to. */
async function addRefusal(program, reason) {
    const detail = withoutCommands(reason);
    await (0,promises_.writeFile)((0,external_node_path_.join)(program, ".setup_info"), JSON.stringify([{ group: GROUP, detail }]));
    // Should a runner ever not know the variable that refuses the job: then its first hook does.
    await (0,promises_.writeFile)((0,external_node_path_.join)(program, REFUSAL), "exit 1\n");
    await (0,promises_.chmod)((0,external_node_path_.join)(program, REFUSAL), 0o755);
}

;// CONCATENATED MODULE: ./lib/teardown/rejecting-runners.js



/**
 * A runner is two .NET programs, and a hosted machine may have two cores: the runners of a large
 * matrix, all at once, would leave it no memory. GitHub takes eighty such requests a minute, too.
 */
const AT_A_TIME = 4;
const VARIABLES = {
    // The runner then fails a job before it downloads an action or runs a step: a hook alone would
    // let `if: always()` steps run.
    ACTIONS_RUNNER_REQUIRE_JOB_CONTAINER: "true",
    DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: "1",
};
/** Each runner has the folder to itself, made anew of links: that takes no room, and no time. */
const SCRIPT = [
    `rm --recursive --force "$HOME" && mkdir "$HOME" && cd "$HOME" && cp --archive --link ../${PROGRAM}/. .`,
    "IFS= read -r ACTIONS_RUNNER_INPUT_JITCONFIG && export ACTIONS_RUNNER_INPUT_JITCONFIG",
    "exec bin/Runner.Listener run </dev/null",
].join(" && ");
/**
 * Runs them, a few at a time, each next one when one is over, and writes down how far they are.
 * Ends when all are over, with the signal, or after the first that could not be registered and
 * those that run then.
 */
async function refuseInTurn(refusing, turns) {
    const { clock, count, signal } = refusing;
    const stopped = new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    const folders = Array.from({ length: Math.min(AT_A_TIME, count) }, (_, index) => `runner-${index + 1}`);
    await Promise.all(folders.map((folder) => oneAfterAnother(refusing, turns, { folder, stopped })));
    turns.endedAt = clock.now();
}
async function oneAfterAnother(refusing, turns, place) {
    const { count, signal } = refusing;
    while (!signal.aborted && turns.why === undefined && turns.begun < count) {
        try {
            await takeTurn(refusing, turns, place);
        }
        catch (error) {
            if (signal.aborted)
                return;
            if (!(error instanceof UserError))
                throw error;
            turns.why ??= error.message;
        }
    }
}
async function takeTurn(refusing, turns, { folder, stopped }) {
    const { runnerNamePrefix, runners, signal } = refusing;
    turns.begun += 1;
    const { id, jitConfig } = await runners.registerRunner(`${runnerNamePrefix}-${turns.begun}`, signal);
    turns.runnerIds.push(id);
    signal.throwIfAborted();
    const said = await Promise.race([start(refusing, folder, jitConfig), stopped]);
    if (said !== undefined)
        turns.said = said;
}
function start({ clock, until, user }, folder, secret) {
    const seconds = Math.max(1, Math.ceil((until - clock.now()) / 1000));
    const home = (0,external_node_path_.join)(user.folder, folder);
    const variables = { ...VARIABLES, HOME: home, ACTIONS_RUNNER_HOOK_JOB_STARTED: (0,external_node_path_.join)(home, REFUSAL) };
    return user.start({ script: SCRIPT, secret, variables, seconds });
}

;// CONCATENATED MODULE: ./lib/teardown/sandbox-user.js









/** Makes a command run as root. A hosted runner's sudo asks for no password. */
const AS_ROOT = process.getuid?.() === 0 ? [] : ["sudo", "--non-interactive"];
const LONGEST_OUTPUT = 4000;
/** A runner that is told to end needs a moment to say so to GitHub. */
const ENDS_WITHIN_MS = 12_000;
/**
 * Makes the user. Throws JobsNotFailedError where this step can't: no root, no sudo, or a system
 * without the tools for it. `tell` gets what could not be cleaned up at the end.
 */
async function openSandboxUser(tell, asRoot = AS_ROOT) {
    const name = `ghr-${(0,external_node_crypto_.randomBytes)(4).toString("hex")}`;
    const root = (...line) => runCommand([...asRoot, ...line]);
    const quietly = (...line) => root(...line).catch((error) => tell(error.message));
    await root("useradd", "--system", "--user-group", "--no-create-home", "--home-dir=/nonexistent", name);
    const running = new Map();
    const folder = await (0,promises_.mkdtemp)((0,external_node_path_.join)((0,external_node_os_namespaceObject.tmpdir)(), `${name}-`)).catch(async (error) => {
        await quietly("userdel", "--force", name);
        throw new JobsNotFailedError(`No folder could be made for another user: ${oneLine(String(error))}.`, error);
    });
    return {
        folder,
        handOver: (signal) => runCommand([...asRoot, "chown", "--recursive", `${name}:`, folder], signal),
        start(program) {
            const child = startAs([...asRoot, ...commandOf(name, program)], program.secret);
            const over = lastWords(child);
            running.set(child, over);
            return over;
        },
        async [Symbol.asyncDispose]() {
            const open = [...running].filter(([{ exitCode, signalCode }]) => exitCode === null && signalCode === null);
            // One that has just ended by itself is as good; pkill finds nobody then.
            await Promise.all(open.map(([{ pid }]) => root("kill", "-s", "TERM", String(pid)).catch(() => { })));
            await Promise.race([Promise.all(running.values()), (0,promises_namespaceObject.setTimeout)(ENDS_WITHIN_MS)]);
            await root("pkill", "--signal=KILL", `--uid=${name}`).catch(() => { });
            await quietly("userdel", "--force", name);
            await quietly("rm", "--recursive", "--force", "--one-file-system", folder);
        },
    };
}
/** Groups are dropped, and no setuid program, sudo among them, can give anything back. */
function commandOf(name, { script, variables, seconds }) {
    const given = Object.entries({ PATH: COMMANDS_PATH, ...variables }).map(([key, value]) => `${key}=${value}`);
    return [
        ...["timeout", "--signal=TERM", "--kill-after=10", String(seconds)],
        ...["setpriv", `--reuid=${name}`, `--regid=${name}`, "--clear-groups", "--no-new-privs", "--inh-caps=-all"],
        ...["env", "--ignore-environment", ...given, "bash", "-c", script],
    ];
}
function startAs([command = "", ...args], secret) {
    const child = (0,external_node_child_process_namespaceObject.spawn)(command, args, { cwd: "/", env: { PATH: COMMANDS_PATH }, stdio: ["pipe", "pipe", "pipe"] });
    // One that ends before it has read its input is known by its end.
    child.stdin.on("error", () => { });
    child.stdin.end(`${secret}\n`);
    return child;
}
function lastWords(child) {
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) {
        stream?.on("data", (chunk) => {
            printed = `${printed}${chunk}`.slice(-LONGEST_OUTPUT);
        });
    }
    return new Promise((resolve) => {
        child.once("error", (error) => resolve(oneLine(error.message)));
        child.once("close", () => resolve(oneLine(printed.trim().split("\n").slice(-3).join(" "))));
    });
}

;// CONCATENATED MODULE: ./lib/teardown/fail-jobs.js
var fail_jobs_addDisposableResource = (undefined && undefined.__addDisposableResource) || function (env, value, async) {
    if (value !== null && value !== void 0) {
        if (typeof value !== "object" && typeof value !== "function") throw new TypeError("Object expected.");
        var dispose, inner;
        if (async) {
            if (!Symbol.asyncDispose) throw new TypeError("Symbol.asyncDispose is not defined.");
            dispose = value[Symbol.asyncDispose];
        }
        if (dispose === void 0) {
            if (!Symbol.dispose) throw new TypeError("Symbol.dispose is not defined.");
            dispose = value[Symbol.dispose];
            if (async) inner = dispose;
        }
        if (typeof dispose !== "function") throw new TypeError("Object not disposable.");
        if (inner) dispose = function() { try { inner.call(this); } catch (e) { return Promise.reject(e); } };
        env.stack.push({ value: value, dispose: dispose, async: async });
    }
    else if (async) {
        env.stack.push({ async: true });
    }
    return value;
};
var fail_jobs_disposeResources = (undefined && undefined.__disposeResources) || (function (SuppressedError) {
    return function (env) {
        function fail(e) {
            env.error = env.hasError ? new SuppressedError(e, env.error, "An error was suppressed during disposal.") : e;
            env.hasError = true;
        }
        var r, s = 0;
        function next() {
            while (r = env.stack.pop()) {
                try {
                    if (!r.async && s === 1) return s = 0, env.stack.push(r), Promise.resolve().then(next);
                    if (r.dispose) {
                        var result = r.dispose.call(r.value);
                        if (r.async) return s |= 2, Promise.resolve(result).then(next, function(e) { fail(e); return next(); });
                    }
                    else s |= 1;
                }
                catch (e) {
                    fail(e);
                }
            }
            if (s === 1) return env.hasError ? Promise.reject(env.error) : Promise.resolve();
            if (env.hasError) throw env.error;
        }
        return next();
    };
})(typeof SuppressedError === "function" ? SuppressedError : function (error, suppressed, message) {
    var e = new Error(message);
    return e.name = "SuppressedError", e.error = error, e.suppressed = suppressed, e;
});





const fail_jobs_WITHIN_MS = 120_000;
/** Of that, to stop what runs and to remove the user. */
const CLEAN_UP_MS = 25_000;
const LOOK_MS = 3000;
const LIST_MAY_LAG_MS = 10_000;
/**
 * Fails jobs that can have no machine, one by one: a single-use runner for each, on this hosted
 * machine, as a user that may do nothing, told to refuse whatever it gets. The other jobs of the
 * run go on. Nothing may be rented any more when this begins. Returns the ids of those that are
 * red now; a warning tells why others are not. Throws only what is a bug.
 *
 * SPEC-SILENT: whether a job has a `container:`, GitHub's list does not say. One that has is not
 * refused by the variable; without Docker it fails as well.
 */
async function failJobs(failing) {
    const { jobs, log } = failing;
    if (jobs.length === 0)
        return [];
    const why = await log.stage("Fail the jobs that can have no machine", () => tryToFail(failing));
    const red = await redJobs(failing);
    const left = `${jobs.length - red.length} of ${jobs.length} jobs could not be failed as if-no-machine: fail-jobs wants it.`;
    if (red.length < jobs.length)
        log.warning(`${left} ${why ?? "GitHub gave them to no runner in time."}`);
    return red;
}
/** Undefined: nothing went wrong, as far as could be seen. */
async function tryToFail(failing) {
    const { clock, jobs, log, openUser = openSandboxUser } = failing;
    const until = Math.min(failing.until, clock.now() + fail_jobs_WITHIN_MS) - CLEAN_UP_MS;
    if (until <= clock.now())
        return "There was no time left for it.";
    const time = AbortSignal.timeout(until - clock.now());
    const stop = new AbortController();
    const signal = AbortSignal.any([time, stop.signal]);
    const turns = { begun: 0, runnerIds: [] };
    try {
        const env_1 = { stack: [], error: void 0, hasError: false };
        try {
            const user = fail_jobs_addDisposableResource(env_1, await openUser((line) => log.warning(line)), true);
            await prepareProgram(failing, user, signal);
            // Whatever kept others from it: one that has a job is not ended under it.
            const end = fail_jobs_waitForEnd(failing, turns, { until, signal: stop.signal }).finally(() => stop.abort());
            const [isOver] = await Promise.all([
                end,
                refuseInTurn({ ...failing, user, count: jobs.length, until, signal }, turns),
            ]);
            return lackOf(turns, isOver ? turns.begun : jobs.length);
        }
        catch (e_1) {
            env_1.error = e_1;
            env_1.hasError = true;
        }
        finally {
            const result_1 = fail_jobs_disposeResources(env_1);
            if (result_1)
                await result_1;
        }
    }
    catch (error) {
        if (!(error instanceof UserError || time.aborted))
            throw error;
        return error instanceof UserError ? error.message : "The time for it was over.";
    }
    finally {
        stop.abort();
        await removeAll(failing, turns.runnerIds);
    }
}
/** The runner program in the user's folder, and the user's. */
async function prepareProgram(failing, user, signal) {
    const program = await fetchRunner(await failing.download(signal), user.folder, signal);
    await addRefusal(program, failing.reason);
    await user.handOver(signal);
}
/**
 * Until each of the jobs is over; or for a while after the last runner has ended, as the list lags.
 * False: until the time was over.
 */
async function fail_jobs_waitForEnd({ clock, jobs, listJobs }, turns, { until, signal }) {
    const ids = new Set(jobs.map(({ id }) => id));
    const look = async () => {
        const listed = await seenJobs(listJobs, until - clock.now());
        const isOver = listed?.filter(({ id }) => ids.has(id)).every(({ status }) => status === "completed");
        const lagMs = turns.runnerIds.length === 0 ? 0 : LIST_MAY_LAG_MS;
        return isOver || (turns.endedAt !== undefined && clock.now() - turns.endedAt >= lagMs);
    };
    return (await poll(look, { clock, intervalMs: LOOK_MS, until, signal })) ?? false;
}
/** Why jobs may be left of so many for which there should have been time. */
function lackOf({ begun, said, why }, count) {
    if (why !== undefined)
        return why;
    if (begun < count)
        return `There was time for the runners of ${begun} of them.`;
    return said ? `The last runner that was to refuse a job said: "${said}".` : undefined;
}
async function seenJobs(listJobs, withinMs) {
    try {
        return await listJobs(AbortSignal.timeout(Math.max(1, withinMs)));
    }
    catch (error) {
        if (error instanceof UserError || error.name === "TimeoutError")
            return undefined;
        throw error;
    }
}
/** Of the jobs that were to fail, those that did so on a runner of ours. */
async function redJobs({ clock, jobs, listJobs, runnerNamePrefix, until }) {
    const ids = new Set(jobs.map(({ id }) => id));
    const listed = (await seenJobs(listJobs, until - clock.now())) ?? [];
    return listed
        .filter(({ id, conclusion, runnerName }) => {
        return ids.has(id) && conclusion === "failure" && runnerName?.startsWith(`${runnerNamePrefix}-`);
    })
        .map(({ id }) => id);
}
/** A registration without its runner does no harm: GitHub drops it within a day. */
async function removeAll({ log, runners }, runnerIds) {
    for (const id of runnerIds) {
        const answer = await runners.remove(id);
        if (answer !== "removed")
            log.info(`Runner ${id} may still be registered (${answer}); GitHub drops it by itself.`);
    }
}

;// CONCATENATED MODULE: ./lib/teardown/fail-waiting.js





/**
 * `if-no-machine: fail-jobs`: fails the jobs of ours that wait, after main has said why no machine
 * comes for them. Nothing may be rented any more. True when jobs may have changed by it.
 */
async function failWaiting(waiting, jobs, fail = failJobs) {
    const { inputs, ledger, rooms, run, until } = waiting;
    // Without a word of main nothing says that no machine comes; a cancel ends the jobs by itself.
    if (inputs["if-no-machine"] !== "fail-jobs" || ledger.end?.kind !== "failed")
        return false;
    const failing = jobs.ours.filter((job) => job.state === "waiting" && !asksForMore(job));
    if (failing.length === 0)
        return false;
    const ownNames = ownNamesOf(run, ledger);
    const red = await fail({
        jobs: failing,
        reason: fail_waiting_reasonOf(run, ledger.end),
        // Names that this use's machines don't have: theirs end with a number.
        runnerNamePrefix: `${ownNames}none`,
        runners: runnersPort(rooms, run.runnerLabel, ownNames),
        download: (signal) => rooms.runners.download(signal),
        listJobs: (signal) => jobsOrUndefined(rooms.jobs, signal),
        clock: rooms.clock,
        log: rooms.log,
        until,
    });
    const names = failing.filter(({ id }) => red.includes(id)).map(({ name }) => `'${oneLine(name, 100)}'`);
    if (names.length > 0)
        rooms.log.info(`Failed, as no machine could be had: ${names.join(", ")}.`);
    return true;
}
function fail_waiting_reasonOf({ jobName }, { message, hint }) {
    const toDo = hint === undefined ? "" : `\nWhat to do: ${hint}`;
    return `No machine could be had for this job; the job '${oneLine(jobName, 100)}' was to rent one. ${message}${toDo}`;
}
/** How the names of this use's runners begin. */
function ownNamesOf({ runnerLabel }, { prefix }) {
    const use = prefix === undefined ? drawUse() : prefix.slice(prefix.lastIndexOf(".") + 1);
    return `${runnerLabel}-${use}-`;
}

;// CONCATENATED MODULE: ./lib/teardown/leave-run-errors.js

/** The GPU job had not ended when this job did, so that its machine was destroyed under it. */
class DestroyedUnderJobError extends UserError {
    name = "DestroyedUnderJobError";
    constructor(what) {
        super(`The machine was given back while ${what}: this job ended before the GPU job did. Nothing is rented any more.`, {
            hint: "Leave hold at auto, so that the step waits for the GPU job; with hold: false, keep this job running until the GPU job is over.",
        });
    }
}
/** The GPU job waits for a machine that does not come, and the run could not be cancelled. */
class RunNotCancelledError extends UserError {
    name = "RunNotCancelledError";
    constructor(job, cause) {
        super(`The GPU job waits for a machine that does not come, and its run could not be cancelled. ${cause.message} Nothing is rented. The job that waits, for up to a day: ${job}`, {
            cause,
            hint: "Cancel the run by hand. Give the job that rents `permissions: { actions: write }`, or set if-no-machine: leave if it is to wait.",
        });
    }
}

;// CONCATENATED MODULE: ./lib/teardown/leave-run.js










const VERIFY_INTERVAL_MS = 5000;
/**
 * The last act of post: GPU jobs left waiting with no machine to come are failed one by one, or
 * ended by a cancel of the run, as `if-no-machine` says; others are told. Throws when this job had
 * succeeded and yet took the machine away, or the run could not be cancelled.
 */
async function leaveRun(leaving, left) {
    if (!leave_run_isOurs(leaving))
        return;
    const isChanged = left.jobs !== undefined && (await failWaiting(leaving, left.jobs));
    const jobs = isChanged ? await leave_run_seenJobs(leaving) : left.jobs;
    const what = jobs && leave_run_inWords(jobs);
    if (jobs === undefined || what === undefined)
        return;
    const isCancelled = await isToBeCancelled(leaving, jobs);
    if (isCancelled)
        await cancelRun(leaving, jobs);
    if (left.destroyedOne && hasSucceeded(leaving))
        throw new DestroyedUnderJobError(what);
    if (!isCancelled)
        leave_run_tellLeft(leaving, jobs, what);
}
/** A step that may fail leaves its job's status at success. */
function hasSucceeded({ inputs, ledger }) {
    return inputs["job-status"] === "success" && ledger.end?.kind !== "failed" && ledger.end?.kind !== "stopped";
}
function leave_run_tellLeft({ rooms, run }, { ours }, what) {
    const waits = ours.some(({ state }) => state === "waiting");
    const or = waits ? "its job waits for up to a day" : "GitHub ends its job after about ten minutes";
    rooms.log.warning(`No machine is left, while ${what}. Cancel the run, or ${or}: ${linkTo(run)}`);
}
/** No say over jobs: a check, which rents for nobody, and a use refused for another's label. */
function leave_run_isOurs({ inputs, ledger: { end } }) {
    return !inputs.check && !(end?.kind === "failed" && end.what === "label-in-use");
}
/** The jobs that ask for this use's machines; undefined, and told, when they can't be seen. */
async function leave_run_seenJobs(leaving) {
    const { rooms, run, ledger, inputs, until } = leaving;
    try {
        const use = ledger.prefix?.slice(ledger.prefix.lastIndexOf(".") + 1);
        const prefix = use === undefined ? undefined : `${run.runnerLabel}-${use}`;
        const listed = await insist(() => rooms.jobs.list(), rooms.clock, { until });
        return sortJobs(listed, whoseOf(run, inputs["job-check-run-id"], prefix));
    }
    catch (error) {
        if (!(error instanceof UserError))
            throw error;
        rooms.log.info(`Whether a GPU job is left could not be seen: ${error.message}`);
        return undefined;
    }
}
/** Looks once more: a job that has begun since, or another open one, must not be taken along. */
async function isToBeCancelled(leaving, jobs) {
    const { inputs, ledger, rooms, until } = leaving;
    // A job that could not be failed is treated as with `auto`.
    const wanted = inputs["if-no-machine"];
    const ifNoMachine = wanted === "fail-jobs" ? "auto" : wanted;
    const decide = (seen) => decideLeaving({ ifNoMachine, jobs: seen, waitedMs: 0 }) === "cancel";
    if (!decide(jobs))
        return false;
    if (ledger.cancelRun)
        return true;
    if (rooms.clock.now() + wait_for_others_LOOKS_APART_MS >= until)
        return false;
    await rooms.clock.sleep(wait_for_others_LOOKS_APART_MS);
    const again = await leave_run_seenJobs(leaving);
    return again !== undefined && decide(again);
}
/** Cancels, and sees that every GPU job is over. */
async function cancelRun(leaving, jobs) {
    const { rooms, run, until } = leaving;
    const link = jobs.ours.find(({ state }) => state === "waiting")?.url ?? linkTo(run);
    try {
        await insist(() => rooms.cancel.cancel(run.runId), rooms.clock, { until });
    }
    catch (error) {
        if (!(error instanceof UserError))
            throw error;
        throw new RunNotCancelledError(link, error);
    }
    const look = async () => {
        const left = await leave_run_seenJobs(leaving);
        return left !== undefined && !left.ours.some(({ state }) => state === "waiting");
    };
    const isOver = await poll(look, { clock: rooms.clock, intervalMs: VERIFY_INTERVAL_MS, until });
    if (isOver)
        rooms.log.info("The run is cancelled: its GPU job could have no machine.");
    else
        rooms.log.warning(`GitHub took the cancel of the run; its GPU job is still listed as waiting: ${link}`);
}
function leave_run_inWords({ ours }) {
    const [state, did] = ours.some((job) => job.state === "running")
        ? ["running", "running"]
        : ["waiting", "waiting for it"];
    const jobs = ours.filter((job) => job.state === state);
    return jobs.length === 0 ? undefined : `${jobNames(jobs)} ${jobs.length === 1 ? "was" : "were"} ${did}`;
}
function linkTo({ serverUrl, owner, repo, runId }) {
    return `${serverUrl}/${owner}/${repo}/actions/runs/${runId}`;
}

;// CONCATENATED MODULE: ./lib/teardown/remove-runners.js


/** After so many GitHub is away: each takes its time, and post has other things to do. */
const MOST_FAULTS = 2;
/**
 * Removes every runner registration of this use: those that were written down, and one that was
 * minted and not written down any more, which its name tells. Nothing bills for a registration, so
 * a fault here is only told, and the others are removed all the same.
 */
async function remove_runners_removeRunners({ rooms, run, ledger, until }, prefix) {
    const use = prefix.slice(prefix.lastIndexOf(".") + 1);
    let known = new Set([...ledger.runners.values()].flat());
    const faults = [];
    await noting(faults, async () => {
        const isOurs = ({ name }) => name.startsWith(`${run.runnerLabel}-${use}-`);
        const listed = await insist(() => rooms.runners.find(isOurs), rooms.clock, { until });
        // One of a machine that may be there may be too fresh for the list.
        known = new Set([...runnersLeft(ledger), ...listed.map(({ id }) => id)]);
    });
    for (const id of known)
        if (faults.length < MOST_FAULTS)
            await noting(faults, () => removeOne(rooms, id));
    const [first] = faults;
    if (first === undefined)
        return;
    rooms.log.warning(`A runner registration may be left over; GitHub drops it within a day. ${first.message}`);
}
/** Those of machines that are not known to be gone: of a large matrix hundreds are. */
function runnersLeft({ created, reports, runners }) {
    return [...runners].flatMap(([n, ids]) => (created.get(n) === "none" || reports.get(n)?.isGone ? [] : ids));
}
async function noting(faults, ask) {
    try {
        await ask();
    }
    catch (error) {
        if (!(error instanceof UserError))
            throw error;
        faults.push(error);
    }
}
async function removeOne({ runners, log }, id) {
    const answer = await runners.remove(id);
    log.info(answer === "removed"
        ? `Runner ${id} is not registered any more.`
        : `Runner ${id} still counts as busy; GitHub drops it by itself.`);
}

;// CONCATENATED MODULE: ./lib/teardown/use-remains.js
/** The remains that post looks for, as main wrote down; undefined: nothing can be rented. */
function remainsOf(ledger) {
    const { created, pending, prefix } = ledger;
    // Every create is announced before it is sent: without an announcement there is nothing to look
    // for.
    if (prefix === undefined || pending.size === 0)
        return undefined;
    const isUncertain = [...pending.keys()].some((n) => !created.has(n));
    return { prefix, known: knownInstances(ledger), isUncertain };
}
/** The oldest first: it has billed longest. Those that main confirmed to be gone are left out. */
function knownInstances({ created, reports }) {
    return [...created].flatMap(([n, id]) => {
        const report = reports.get(n);
        return id === "none" || report?.isGone ? [] : [{ id, createdAt: report?.at.created }];
    });
}

;// CONCATENATED MODULE: ./lib/action/run-post.js
var run_post_addDisposableResource = (undefined && undefined.__addDisposableResource) || function (env, value, async) {
    if (value !== null && value !== void 0) {
        if (typeof value !== "object" && typeof value !== "function") throw new TypeError("Object expected.");
        var dispose, inner;
        if (async) {
            if (!Symbol.asyncDispose) throw new TypeError("Symbol.asyncDispose is not defined.");
            dispose = value[Symbol.asyncDispose];
        }
        if (dispose === void 0) {
            if (!Symbol.dispose) throw new TypeError("Symbol.dispose is not defined.");
            dispose = value[Symbol.dispose];
            if (async) inner = dispose;
        }
        if (typeof dispose !== "function") throw new TypeError("Object not disposable.");
        if (inner) dispose = function() { try { inner.call(this); } catch (e) { return Promise.reject(e); } };
        env.stack.push({ value: value, dispose: dispose, async: async });
    }
    else if (async) {
        env.stack.push({ async: true });
    }
    return value;
};
var run_post_disposeResources = (undefined && undefined.__disposeResources) || (function (SuppressedError) {
    return function (env) {
        function fail(e) {
            env.error = env.hasError ? new SuppressedError(e, env.error, "An error was suppressed during disposal.") : e;
            env.hasError = true;
        }
        var r, s = 0;
        function next() {
            while (r = env.stack.pop()) {
                try {
                    if (!r.async && s === 1) return s = 0, env.stack.push(r), Promise.resolve().then(next);
                    if (r.dispose) {
                        var result = r.dispose.call(r.value);
                        if (r.async) return s |= 2, Promise.resolve(result).then(next, function(e) { fail(e); return next(); });
                    }
                    else s |= 1;
                }
                catch (e) {
                    fail(e);
                }
            }
            if (s === 1) return env.hasError ? Promise.reject(env.error) : Promise.resolve();
            if (env.hasError) throw env.error;
        }
        return next();
    };
})(typeof SuppressedError === "function" ? SuppressedError : function (error, suppressed, message) {
    var e = new Error(message);
    return e.name = "SuppressedError", e.error = error, e.suppressed = suppressed, e;
});












/** After a cancel all of post has 4 min 45 s. Destroying may take this much of it, in ms. */
const run_post_DESTROY_WITHIN_MS = 210_000;
/** And everything together this much. */
const END_WITHIN_MS = 250_000;
const NOTHING_WAS_RENTED = { destroyed: [], undestroyed: [] };
/**
 * The story of post: destroy all of this use and see that it is gone; remove its runners; report;
 * see that no job is left waiting for a machine.
 */
async function runPost() {
    const start = systemClock.now();
    const until = start + END_WITHIN_MS;
    const ledger = readLedger();
    const used = await run_post_giveBack(ledger, start + run_post_DESTROY_WITHIN_MS);
    try {
        const inputs = readRunInputs();
        const run = readRunContext(inputs.name);
        const rooms = { log: actionsLog, clock: systemClock, ...openGithub(inputs, run, until) };
        const leaving = { rooms, run, ledger, inputs, until };
        const { prefix } = ledger;
        if (prefix !== undefined)
            await rooms.log.stage("Remove runner registrations", () => remove_runners_removeRunners(leaving, prefix));
        // While something may still bill, the run's end is not the first thing to see to.
        const mayLeave = used.undestroyed.length === 0 && inputs.knowsLabel;
        const jobs = mayLeave ? await leave_run_seenJobs(leaving) : undefined;
        if (ledger.end?.kind !== "checked")
            await reportUse(rooms, ledger, used, { jobs, jobStatus: inputs["job-status"] });
        if (mayLeave)
            await leaveRun(leaving, { jobs, destroyedOne: used.destroyed.length > 0 });
    }
    finally {
        // Whatever else went wrong: that something may still bill is the one thing to say.
        if (used.undestroyed.length > 0)
            throwNotDestroyed(used.undestroyed);
    }
}
async function run_post_giveBack(ledger, until) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const remains = remainsOf(ledger);
        if (remains === undefined)
            return NOTHING_WAS_RENTED;
        const room = run_post_addDisposableResource(env_1, openService(readPostInputs(remains.prefix), until), true);
        return await room.log.stage("Destroy the machine", () => destroyUse({ ...room, until }, remains));
    }
    catch (e_1) {
        env_1.error = e_1;
        env_1.hasError = true;
    }
    finally {
        const result_1 = run_post_disposeResources(env_1);
        if (result_1)
            await result_1;
    }
}
function throwNotDestroyed(undestroyed) {
    const what = undestroyed.join(", ");
    const reason = "the service refused, or post ran out of time";
    throw new InstanceNotDestroyedError(what.charAt(0).toUpperCase() + what.slice(1), reason);
}

;// CONCATENATED MODULE: ./lib/post.js


/** The post step. It goes on when asked to stop: all time left belongs to the destruction. */
const post = () => runEntry(runPost);

;// CONCATENATED MODULE: ./lib/report/sweep-report.js





const FATES = {
    destroyed: "destroyed",
    "was-gone": "had given itself back",
    "would-go": "would be destroyed",
    refused: "**could not be destroyed**",
    left: "left",
};
const OUTCOMES = {
    cancelled: "cancelled",
    "would-cancel": "would be cancelled",
    changed: "left: it waits no longer",
    failed: "**could not be cancelled**",
};
const LOST_OUTCOMES = {
    "re-run": "its failed jobs are re-run",
    "would-rerun": "its failed jobs would be re-run",
    left: "left",
    failed: "**could not be re-run**",
};
/** The fates of machines, in a few lines for the log. `now` in milliseconds since the epoch. */
function sweepLines(sweep, now) {
    const left = sweep.ours.filter(({ fate }) => fate.kind === "left");
    const lines = left.map(({ owned, fate }) => `Instance ${owned.id} is left: ${fate.why}.`);
    return [counts(sweep), ...lines, oldest(sweep, now)];
}
/** The same for the job's summary, in Markdown. Foreign text in it is harmless. */
function sweepMarkdown(sweep, now) {
    const rows = sweep.ours.map(({ owned, fate }) => {
        const { id, label } = owned;
        return [String(id), String(label.runId), String(label.attempt), FATES[fate.kind], withoutMarkdown(fate.why)];
    });
    const table = [...markdownTable([["instance", "run", "attempt", "what became of it", "why"], ...rows]), ""];
    return [
        "### Sweep of GPU machines",
        "",
        counts(sweep),
        "",
        ...(rows.length > 0 ? table : []),
        oldest(sweep, now),
        // A paragraph ends: what became of runs may follow.
        "",
        "",
    ].join("\n");
}
/** The fates of runs, for the summary; empty when nothing had to be done. */
function runsMarkdown({ stuck, lost, runsUrl }) {
    const link = (runId) => `[${runId}](${runsUrl}/${runId})`;
    const stuckRows = stuck.map(({ runId, attempt, waitedMs, outcome }) => {
        return [link(runId), String(attempt), formatDuration(waitedMs), OUTCOMES[outcome]];
    });
    const lostRows = lost.map(({ runId, outcome, why }) => [link(runId), LOST_OUTCOMES[outcome], withoutMarkdown(why)]);
    return [
        ...section(STUCK, ["run", "attempt", "waited for", "what became of it"], stuckRows),
        ...section(LOST, ["run", "what became of it", "why"], lostRows),
    ].join("\n");
}
const STUCK = "**Stuck runs.** Their GPU job waited for a machine that nobody rents any more: the job that rents is over, or only the GPU job was " +
    'run again. "Re-run failed jobs" and "Re-run all jobs" run both.';
const LOST = "**Lost machines.** Machines that were lost under the jobs of these runs. Each run is run again once at most.";
function section(text, titles, rows) {
    return rows.length === 0 ? [] : [text, "", ...markdownTable([titles, ...rows]), ""];
}
function counts({ seen, foreign, ours }) {
    const count = (...kinds) => ours.filter(({ fate }) => kinds.includes(fate.kind)).length;
    const wouldGo = count("would-go") > 0 ? `${count("would-go")} would be destroyed (dry run), ` : "";
    const refused = count("refused") > 0 ? `, ${count("refused")} could not be destroyed` : "";
    return (`Instances of the account: ${seen}. Of this repository: ${ours.length}. Somebody else's, left alone: ${foreign}. ` +
        `Of ours, ${wouldGo}${count("destroyed")} destroyed, ${count("was-gone")} gone by themselves, ${count("left")} left${refused}.`);
}
/** One whose start is not shown is taken to be young; of equals the lower id is the older one. */
function byAge(left, right) {
    const since = ({ startedAt = Number.POSITIVE_INFINITY }) => startedAt;
    return since(left) === since(right) ? left.id - right.id : since(left) - since(right);
}
function oldest(sweep, now) {
    const [first] = aliveAfter(sweep).toSorted(byAge);
    if (first === undefined)
        return "No machine of this repository is alive.";
    const age = first.startedAt === undefined ? "of unknown age" : `${formatDuration(now - first.startedAt)} old`;
    const price = first.pricePerHour === undefined ? "" : `, ${formatPrice(first.pricePerHour)} per hour`;
    return `The oldest machine of this repository that is alive: instance ${first.id}, ${age}${price}.`;
}

;// CONCATENATED MODULE: ./lib/github/run.js


const run_text = answer_optional(schemas_string());
const owner = looseObject({ id: schemas_number() }).nullish();
/** GitHub, "Get a workflow run". */
const runSchema = looseObject({
    id: schemas_number().int(),
    run_attempt: schemas_number().int().default(1),
    status: run_text,
    conclusion: run_text,
    created_at: answer_moment,
    run_started_at: answer_moment,
    updated_at: answer_moment,
    head_branch: run_text,
    head_sha: run_text,
    repository: owner,
    head_repository: owner,
})
    .transform((run) => ({
    id: run.id,
    attempt: run.run_attempt,
    status: run.status ?? "",
    conclusion: run.conclusion,
    /** When that attempt began. */
    startedAt: run.run_started_at ?? run.created_at,
    /** When something of it last changed; the end of one that is over. */
    updatedAt: run.updated_at,
    /** The branch and the commit that it runs for; a tag's name stands in the place of a branch. */
    headBranch: run.head_branch,
    headSha: run.head_sha,
    /** Its commit is of another repository, or of one that is gone. */
    isOfFork: run.head_repository?.id === undefined || run.head_repository.id !== run.repository?.id,
}));
/** GitHub, "List workflow runs for a repository". */
const runPageSchema = looseObject({ workflow_runs: array(runSchema) });

;// CONCATENATED MODULE: ./lib/github/runs.js


const runs_NEED = {
    input: "job-token",
    task: "list the runs of this repository",
    remedy: "Give the job that runs this step `permissions: { actions: write }`: it lists runs with it, and cancels stuck ones.",
};
const runs_PAGE_SIZE = 100;
const runs_MOST_PAGES = 2;
/**
 * The repository's runs that wait or run now, those that only wait first; of each kind the newest
 * 200. Throws GithubTokenError or GithubUnavailableError.
 */
async function listOpenRuns(client, signal) {
    const runs = [...(await listWith(client, "queued", signal)), ...(await listWith(client, "in_progress", signal))];
    // A run may begin between the two lists.
    return [...new Map(runs.map((run) => [run.id, run])).values()];
}
/**
 * The repository's newest 100 runs that failed and were created since then, in milliseconds since
 * the epoch. Throws likewise.
 */
function listFailedRuns(client, since, signal) {
    const created = `>=${new Date(since).toISOString().slice(0, 19)}Z`;
    return listPage(client, { status: "failure", created, page: 1 }, signal);
}
/** A run as it is now, by its latest attempt; undefined when GitHub knows none. Throws likewise. */
async function getRun(client, id, signal) {
    const need = { ...runs_NEED, task: "read a run of this repository" };
    const answer = await client.request({
        need,
        route: "GET /repos/{owner}/{repo}/actions/runs/{run_id}",
        parameters: { run_id: id, exclude_pull_requests: true },
        expected: [404],
        signal,
    });
    if (answer.status === 404)
        return undefined;
    return readAnswer(runSchema, answer, need.task);
}
async function listWith(client, status, signal) {
    const runs = [];
    for (let page = 1; page <= runs_MOST_PAGES; page += 1) {
        const listed = await listPage(client, { status, page }, signal);
        runs.push(...listed);
        if (listed.length < runs_PAGE_SIZE)
            break;
    }
    return runs;
}
async function listPage(client, filters, signal) {
    const answer = await client.request({
        need: runs_NEED,
        route: "GET /repos/{owner}/{repo}/actions/runs",
        parameters: { ...filters, per_page: runs_PAGE_SIZE, exclude_pull_requests: true },
        signal,
    });
    return readAnswer(runPageSchema, answer, runs_NEED.task).workflow_runs;
}

;// CONCATENATED MODULE: ./lib/sweep/run-by-run.js


/** After so many in a row it is GitHub that can't be asked, not one run that can't be read. */
const MOST_IN_A_ROW = 3;
/**
 * Finds something by looking at one run after the other. A run that can't be read (deleted
 * meanwhile, more jobs than are read) is told and left, and hides no other. Throws when the token
 * may not look at all.
 */
async function runByRun(runs, look, log) {
    const found = [];
    let unread = 0;
    for (const run of runs) {
        const seen = await lookOrFault(run, look);
        unread = seen instanceof UserError ? unread + 1 : 0;
        if (!(seen instanceof UserError))
            found.push(...seen);
        else
            log.warning(`Run ${run.id} could not be looked at, and is left: ${seen.message} ${seen.hint ?? ""}`);
        if (unread === MOST_IN_A_ROW) {
            log.warning("Neither are the other runs looked at: GitHub can't be asked.");
            break;
        }
    }
    return found;
}
async function lookOrFault(run, look) {
    try {
        const seen = await look(run);
        return seen === undefined ? [] : [seen];
    }
    catch (error) {
        // A token that is refused is so for every run; 404 can be a run that is gone.
        const isOfAll = error instanceof GithubTokenError && error.status !== 404;
        if (isOfAll || !(error instanceof UserError))
            throw error;
        return error;
    }
}

;// CONCATENATED MODULE: ./lib/sweep/stuck-run.js
/** A job must wait so long, in milliseconds: a late rent job begins to run long before. */
const STUCK_AFTER_MS = 15 * 60_000;
/**
 * How long a GPU job of this attempt has waited in vain, in milliseconds; undefined when it may
 * still get its machine: one lives, a job that could rent one (any other job that is not over) is
 * there, a GPU job runs, or none has waited for 15 minutes.
 */
function stuckForMs(jobs, run, now) {
    const open = jobs.filter(({ status }) => status !== "completed");
    if (run.hasMachine || !open.every((job) => job.status === "queued" && asksForOurs(job, run)))
        return undefined;
    const waits = open.map(({ createdAt }) => (createdAt === undefined ? 0 : now - createdAt));
    const longest = Math.max(0, ...waits);
    return longest >= STUCK_AFTER_MS ? longest : undefined;
}
/**
 * `gpu-<run>-<attempt>`, perhaps with `-<use>`, of this attempt or of one before it: a re-run may
 * keep an old label, and no machine comes for that. GitHub compares labels whatever their case.
 */
function asksForOurs({ labels }, { runId, attempt }) {
    return labels.some((label) => {
        const [, run, asked] = /^gpu-(\d+)-([1-9]\d*)(?:-|$)/i.exec(label) ?? [];
        return run === String(runId) && Number(asked) <= attempt;
    });
}

;// CONCATENATED MODULE: ./lib/sweep/cancel-stuck-runs.js








/** The jobs of at most so many runs are read: one request each, of a thousand an hour. */
const MOST_RUNS = 100;
/** The list of jobs lags: what costs a run needs two looks, so far apart. */
const SECOND_LOOK_MS = 15_000;
const cancel_stuck_runs_LOOK_MS = 5000;
const cancel_stuck_runs_ENDS_WITHIN_MS = 60_000;
/**
 * Cancels the runs whose GPU job waits for a machine that nobody will rent any more. Throws when
 * the runs or the machines can't be listed.
 */
async function cancelStuckRuns(search) {
    const { clock, log, ownRunId, signal } = search;
    const old = (await listOpenRuns(search.client, signal))
        .filter(({ id, startedAt }) => id !== ownRunId && clock.now() - (startedAt ?? 0) >= STUCK_AFTER_MS)
        .sort((left, right) => (left.startedAt ?? 0) - (right.startedAt ?? 0));
    if (old.length > MOST_RUNS)
        log.info(`Only ${MOST_RUNS} of ${old.length} open runs are looked at.`);
    const suspects = await findStuck(search, old.slice(0, MOST_RUNS));
    if (suspects.length === 0)
        return [];
    await clock.sleep(SECOND_LOOK_MS, signal);
    const runs = suspects.map((suspect) => suspect.run);
    const stuck = [];
    for (const { run, waitedMs } of await findStuck(search, runs)) {
        stuck.push({ runId: run.id, attempt: run.attempt, waitedMs, outcome: await end(search, run, waitedMs) });
    }
    return stuck;
}
async function findStuck(search, runs) {
    if (runs.length === 0)
        return [];
    const machines = await search.listMachines();
    const look = async (run) => {
        const waitedMs = await waitedInVain(search, run, machines);
        return waitedMs === undefined ? undefined : { run, waitedMs };
    };
    return await runByRun(runs, look, search.log);
}
async function waitedInVain({ client, clock, signal }, { id, attempt }, machines) {
    const hasMachine = machines.some(({ label }) => label.runId === id && label.attempt === attempt);
    const jobs = await new RunJobs(client, { runId: id, attempt }).list(signal);
    return stuckForMs(jobs, { runId: id, attempt, hasMachine }, clock.now());
}
async function end(search, run, waitedMs) {
    const { isDryRun, log } = search;
    const what = `Run ${run.id} (attempt ${run.attempt}), whose GPU job has waited for ${formatDuration(waitedMs)} with no machine to come,`;
    try {
        // The ends of other runs took minutes: it may have been re-run meanwhile, and a cancel knows no
        // attempts.
        if (!(await isStillStuck(search, run))) {
            log.info(`${what} is left: it waits in vain no longer.`);
            return "changed";
        }
        if (isDryRun) {
            log.info(`${what} would be cancelled.`);
            return "would-cancel";
        }
        // Nothing of it runs, so that a cancel by force cuts no clean-up short.
        const isOver = (await tryToEnd(search, run, "cancel")) ||
            !(await goesOn(search, run)) ||
            (await tryToEnd(search, run, "forceCancel"));
        if (isOver)
            log.info(`${what} is cancelled.`);
        else
            log.warning(`${what} was cancelled twice, and has not ended yet.`);
        return isOver ? "cancelled" : "failed";
    }
    catch (error) {
        if (!(error instanceof UserError))
            throw error;
        log.warning(`${what} could not be cancelled: ${error.message} ${error.hint ?? ""}`);
        return "failed";
    }
}
async function isStillStuck(search, run) {
    return (await goesOn(search, run)) && (await waitedInVain(search, run, await search.listMachines())) !== undefined;
}
/** The same attempt is still the run's latest, and not over. */
async function goesOn({ client, signal }, { id, attempt }) {
    const now = await getRun(client, id, signal);
    return now?.attempt === attempt && now.status !== "completed";
}
/** GitHub only takes the wish: looks until the attempt is completed, for a minute. */
async function tryToEnd(search, run, how) {
    const { cancel, clock, signal } = search;
    await cancel[how](run.id, signal);
    const look = () => isCompleted(search, run);
    return (await poll(look, { clock, intervalMs: cancel_stuck_runs_LOOK_MS, until: clock.now() + cancel_stuck_runs_ENDS_WITHIN_MS, signal })) ?? false;
}
async function isCompleted({ attempts, signal }, { id, attempt }) {
    try {
        return (await attempts.get(id, attempt, signal))?.isCompleted ?? false;
    }
    catch (error) {
        // A doubt is no evidence: it is asked again.
        if (error instanceof GithubUnavailableError)
            return false;
        throw error;
    }
}

;// CONCATENATED MODULE: ./lib/github/annotations.js


const annotations_NEED = {
    input: "job-token",
    task: "read the annotations of a job",
    remedy: "With rerun-lost: true, give the job that sweeps `permissions: { actions: write, checks: read, contents: read }`.",
};
const annotationsSchema = array(looseObject({ message: schemas_string().nullish() }));
/**
 * The texts of a job's annotations: its warnings, errors and notices, 50 at most. Throws
 * GithubTokenError or GithubUnavailableError.
 */
async function listAnnotations(client, jobId, signal) {
    const answer = await client.request({
        need: annotations_NEED,
        // A job's id is that of its check run.
        route: "GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations",
        parameters: { check_run_id: jobId, per_page: 100 },
        signal,
    });
    return readAnswer(annotationsSchema, answer, annotations_NEED.task).map(({ message }) => message ?? "");
}

;// CONCATENATED MODULE: ./lib/github/run-rerun.js
const run_rerun_NEED = {
    input: "job-token",
    task: "re-run the failed jobs of a run",
    remedy: "Give the job that runs this step `permissions: { actions: write }`.",
};
/**
 * Starts another attempt of a run that is over: of the jobs that failed or were cancelled, and
 * those that need them. Throws GithubTokenError, GithubUnavailableError or GithubRefusedError; after a
 * doubt the attempt may have begun.
 */
async function rerunFailedJobs(client, runId, signal) {
    const route = "POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun-failed-jobs";
    await client.request({ need: run_rerun_NEED, route, parameters: { run_id: runId }, signal });
}

;// CONCATENATED MODULE: ./lib/sweep/lost-run.js

/** A run is looked at so long after its end, in ms: sweeps come every six hours, or late. */
const LOOKED_AT_FOR_MS = 8 * 3_600_000;
/** Conclusions by which a job counts as failed; a cancelled one had its reason elsewhere. */
const FAILED = new Set(["failure", "timed_out", "startup_failure", "action_required"]);
/**
 * Whether a run may be one to re-run, as far as its own record tells: over a short while, failed,
 * never run again, not ours.
 */
function mayBeLost(run, ownRunId, now) {
    const isFirst = run.attempt === 1 && run.status === "completed" && run.conclusion === "failure";
    return isFirst && run.id !== ownRunId && !run.isOfFork && now - (run.updatedAt ?? 0) < LOOKED_AT_FOR_MS;
}
/**
 * The jobs that may have rented for a GPU job of this run that did not succeed: what they noted
 * decides. None: nothing was lost.
 */
function jobsToAsk(run, jobs) {
    if (!jobs.some((job) => isOfGpu(job, run) && lost_run_isBad(job)))
        return [];
    return jobs.filter((job) => isFailed(job) && !isOfGpu(job, run));
}
/** Judges a run by its jobs: re-run when each failed one was lost, or rented for a lost one. */
function judgeLostRun(jobs, { renting, lost }) {
    const gone = jobs.filter((job) => lost.has(job.id) && lost_run_isBad(job));
    if (gone.length === 0)
        return { kind: "nothing" };
    const byItself = jobs.find((job) => isFailed(job) && !lost.has(job.id) && !renting.has(job.id));
    if (byItself)
        return { kind: "leave", why: `its job '${byItself.name}' failed by itself` };
    return { kind: "rerun", jobs: gone.map(({ name }) => name) };
}
function isOfGpu(job, { id, attempt }) {
    return asksForOurs(job, { runId: id, attempt });
}
function isFailed({ conclusion }) {
    return FAILED.has(conclusion ?? "");
}
/** GitHub ends a job whose machine is gone as failed, or as cancelled. */
function lost_run_isBad(job) {
    return isFailed(job) || job.conclusion === "cancelled";
}

;// CONCATENATED MODULE: ./lib/sweep/rerun-lost-runs.js









/** The jobs of at most so many runs are read: a request or two each, of a thousand an hour. */
const rerun_lost_runs_MOST_RUNS = 20;
/** As old as a run can be whose end is a few hours ago. */
const CREATED_WITHIN_MS = 72 * 3_600_000;
/**
 * Re-runs, once, the failed jobs of runs whose jobs failed only because their machines were lost,
 * if the commit is still its branch's last one. Throws when the runs can't be listed.
 */
async function rerunLostRuns(search) {
    const { client, clock, log, ownRunId, signal } = search;
    const failed = await listFailedRuns(client, clock.now() - CREATED_WITHIN_MS, signal);
    const candidates = failed.filter((run) => mayBeLost(run, ownRunId, clock.now()));
    if (candidates.length > rerun_lost_runs_MOST_RUNS)
        log.info(`Only ${rerun_lost_runs_MOST_RUNS} of ${candidates.length} failed runs are looked at.`);
    const look = async (run) => {
        const verdict = await rerun_lost_runs_judge(search, run);
        return verdict.kind === "nothing" ? undefined : await carryOut(search, run, verdict);
    };
    return await runByRun(candidates.slice(0, rerun_lost_runs_MOST_RUNS), look, log);
}
async function rerun_lost_runs_judge(search, run) {
    const { client, signal } = search;
    const jobs = await new RunJobs(client, { runId: run.id, attempt: run.attempt }).list(signal);
    const verdict = judgeLostRun(jobs, await readNotes(search, jobsToAsk(run, jobs)));
    if (verdict.kind !== "rerun")
        return verdict;
    const head = run.headBranch === undefined ? undefined : await branchHead(client, run.headBranch, signal);
    if (head === undefined)
        return { kind: "leave", why: "it ran for no branch, or for one that is gone" };
    return head === run.headSha ? verdict : { kind: "leave", why: "its branch has a newer commit" };
}
async function readNotes({ client, signal }, jobs) {
    const renting = new Set();
    const lost = new Set();
    for (const { id } of jobs) {
        const noted = (await listAnnotations(client, id, signal)).flatMap(readLostJobs);
        if (noted.length > 0)
            renting.add(id);
        for (const jobId of noted)
            lost.add(jobId);
    }
    return { renting, lost };
}
async function carryOut(search, run, verdict) {
    const tell = (outcome, why) => ({ runId: run.id, outcome, why });
    const { client, isDryRun, log, signal } = search;
    if (verdict.kind === "leave") {
        log.info(`Run ${run.id} lost a machine and is left: ${verdict.why}.`);
        return tell("left", verdict.why);
    }
    const why = `its machine was lost under ${verdict.jobs.map((name) => `'${name}'`).join(", ")}`;
    try {
        // Right before the act: nobody has re-run it meanwhile.
        const now = await getRun(client, run.id, signal);
        if (now?.attempt !== run.attempt || now.status !== "completed")
            return tell("left", "somebody has re-run it");
        if (!isDryRun)
            await rerunFailedJobs(client, run.id, signal);
        log.info(`The failed jobs of run ${run.id} ${isDryRun ? "would be" : "are"} re-run, once: ${why}.`);
        return tell(isDryRun ? "would-rerun" : "re-run", why);
    }
    catch (error) {
        if (!(error instanceof UserError))
            throw error;
        log.warning(`Run ${run.id} could not be re-run, ${why}: ${error.message} ${error.hint ?? ""}`);
        return tell("failed", why);
    }
}

;// CONCATENATED MODULE: ./lib/sweep/sweep-errors.js


/** The service: something that had to go could not be destroyed, or not be seen to be gone. */
class SweepError extends UserError {
    name = "SweepError";
    /** Each of `undestroyed` names one instance and the reason, in words. */
    constructor(undestroyed) {
        super(`The sweep could not destroy what had to go: ${undestroyed.join("; ")}. It may still be billing.`, {
            hint: DESTROY_BY_HAND,
        });
    }
}

;// CONCATENATED MODULE: ./lib/action/sweep-inputs.js




/** The sweep's inputs. A repo test keeps them, sweep/action.yml and the README equal. */
const sweepInputSchema = strictObject({
    ...inputSchema.pick({ "api-key": true, "api-url": true, "job-token": true }).shape,
    "dry-run": booleanField(false),
    "max-destroy": numberField({ min: 1, max: 1000, whole: true, unit: "machines", fallback: "20" }),
    "cancel-stuck-runs": booleanField(true),
    "rerun-lost": booleanField(false),
});
/** Reads and checks the inputs of the sweep, all at once. */
function readSweepInputs() {
    return readWith(sweepInputSchema, "Nothing was swept.");
}

;// CONCATENATED MODULE: ./lib/action/run-sweep.js
var run_sweep_addDisposableResource = (undefined && undefined.__addDisposableResource) || function (env, value, async) {
    if (value !== null && value !== void 0) {
        if (typeof value !== "object" && typeof value !== "function") throw new TypeError("Object expected.");
        var dispose, inner;
        if (async) {
            if (!Symbol.asyncDispose) throw new TypeError("Symbol.asyncDispose is not defined.");
            dispose = value[Symbol.asyncDispose];
        }
        if (dispose === void 0) {
            if (!Symbol.dispose) throw new TypeError("Symbol.dispose is not defined.");
            dispose = value[Symbol.dispose];
            if (async) inner = dispose;
        }
        if (typeof dispose !== "function") throw new TypeError("Object not disposable.");
        if (inner) dispose = function() { try { inner.call(this); } catch (e) { return Promise.reject(e); } };
        env.stack.push({ value: value, dispose: dispose, async: async });
    }
    else if (async) {
        env.stack.push({ async: true });
    }
    return value;
};
var run_sweep_disposeResources = (undefined && undefined.__disposeResources) || (function (SuppressedError) {
    return function (env) {
        function fail(e) {
            env.error = env.hasError ? new SuppressedError(e, env.error, "An error was suppressed during disposal.") : e;
            env.hasError = true;
        }
        var r, s = 0;
        function next() {
            while (r = env.stack.pop()) {
                try {
                    if (!r.async && s === 1) return s = 0, env.stack.push(r), Promise.resolve().then(next);
                    if (r.dispose) {
                        var result = r.dispose.call(r.value);
                        if (r.async) return s |= 2, Promise.resolve(result).then(next, function(e) { fail(e); return next(); });
                    }
                    else s |= 1;
                }
                catch (e) {
                    fail(e);
                }
            }
            if (s === 1) return env.hasError ? Promise.reject(env.error) : Promise.resolve();
            if (env.hasError) throw env.error;
        }
        return next();
    };
})(typeof SuppressedError === "function" ? SuppressedError : function (error, suppressed, message) {
    var e = new Error(message);
    return e.name = "SuppressedError", e.error = error, e.suppressed = suppressed, e;
});














/**
 * The story of the sweep: destroy this repository's leftovers and tell of the money; only then see
 * to runs. Red when something may still bill.
 */
async function runSweep(signal) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const inputs = readSweepInputs();
        const run = readRunContext();
        const service = run_sweep_addDisposableResource(env_1, openService(inputs), true);
        const rooms = { ...service, ...openJobRoom(inputs["job-token"], run) };
        const sweeper = sweeperOf(run, await rooms.repositoryId(signal));
        const sweeping = { ...rooms, sweeper, inputs, isDryRun: inputs["dry-run"], signal };
        await sweepMachines(sweeping);
        signal.throwIfAborted();
        await seeToRuns(sweeping, run);
    }
    catch (e_1) {
        env_1.error = e_1;
        env_1.hasError = true;
    }
    finally {
        const result_1 = run_sweep_disposeResources(env_1);
        if (result_1)
            await result_1;
    }
}
/** Tells all about money before it returns: a later time-out must not hide it. */
async function sweepMachines(sweeping) {
    const { attempts, clock, inputs, log } = sweeping;
    let blindness;
    const askAttempt = attemptAsker(attempts, clock, (line, error) => {
        log.warning(line);
        if (error instanceof GithubTokenError)
            blindness = error;
    });
    const sweep = await log.stage("Sweep", () => sweepAll({ ...sweeping, askAttempt, maxDestroy: inputs["max-destroy"] }));
    for (const line of sweepLines(sweep, clock.now()))
        log.info(line);
    await writeSummary(log, sweepMarkdown(sweep, clock.now()));
    const failure = run_sweep_failureOf(sweep);
    if (failure !== undefined)
        reportFailure(failure);
    // A sweep that may not see which runs are over is none: nobody would notice until a bill comes.
    if (failure === undefined && blindness !== undefined)
        reportFailure(blindness);
    if (sweep.fault !== undefined)
        throw sweep.fault;
}
function run_sweep_failureOf({ ours }) {
    const undestroyed = ours.flatMap(({ owned, fate }) => fate.kind === "refused" ? [`instance ${owned.id} (${fate.why})`] : []);
    return undestroyed.length > 0 ? new SweepError(undestroyed) : undefined;
}
async function seeToRuns(sweeping, { serverUrl, owner, repo }) {
    const { inputs, log, service, sweeper, signal } = sweeping;
    const listMachines = async () => ownedInstances(await service.listInstances(signal), sweeper);
    const search = { ...sweeping, ownRunId: sweeper.runId, listMachines };
    const stuck = await unlessOff(inputs["cancel-stuck-runs"], "Stuck runs", () => cancelStuckRuns(search), log);
    const lost = await unlessOff(inputs["rerun-lost"], "Lost runs", () => rerunLostRuns(search), log);
    const markdown = runsMarkdown({ stuck, lost, runsUrl: `${serverUrl}/${owner}/${repo}/actions/runs` });
    if (markdown !== "")
        await writeSummary(log, markdown);
}
/** Runs cost no money here: that they can't be looked at is told, and fails nothing. */
async function unlessOff(isOn, what, look, log) {
    if (!isOn)
        return [];
    try {
        return await log.stage(`Look for ${what.toLowerCase()}`, look);
    }
    catch (error) {
        if (!(error instanceof UserError))
            throw error;
        log.warning(`${what} could not be looked for. ${error.message} ${error.hint ?? ""}`);
        return [];
    }
}

;// CONCATENATED MODULE: ./lib/sweep.js


/** The sweep, an action of its own: sweep/action.yml. */
const sweep = () => runEntry(runSweep);

;// CONCATENATED MODULE: ./lib/bundle.js
// The exports of dist/index.js: one entry a step; main.js, post.js and sweep.js call them.




var __webpack_exports__main = __webpack_exports__.iW;
var __webpack_exports__post = __webpack_exports__.bE;
var __webpack_exports__sweep = __webpack_exports__.X0;
export { __webpack_exports__main as main, __webpack_exports__post as post, __webpack_exports__sweep as sweep };
