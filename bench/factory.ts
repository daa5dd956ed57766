export { floorBench as factoryBench } from './floor';
